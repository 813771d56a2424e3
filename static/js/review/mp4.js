// Reads what the page needs of a blind copy's boxes (ISO/IEC 14496-12): where the padding begins, and when each
// picture is shown. Pure. The page itself knows nothing about a clip; everything comes from the bytes that play.

// Walk the boxes that lie side by side in [start, end): yields {type, start, body, end}. Stops at what it cannot read.
export function* boxes(view, start = 0, end = view.byteLength) {
  let at = start;
  while (at + 8 <= Math.min(end, view.byteLength)) {
    let size = view.getUint32(at);
    let body = at + 8;
    if (size === 1) {
      if (at + 16 > view.byteLength) return;
      size = Number(view.getBigUint64(body));
      body += 8;
    } else if (size === 0) {
      size = end - at;
    }
    if (size < body - at) return;
    yield { type: typeAt(view, at + 4), start: at, body, end: at + size };
    at += size;
  }
}

// How many bytes of a file of `total` hold anything: what follows is padding. null when `view` (its beginning) is too
// short to tell; then `needed` bytes are wanted.
export function contentEnd(view, total) {
  let last = 0;
  let reached = 0;
  for (const box of boxes(view, 0, total)) {
    if (box.type !== "free" && box.type !== "skip") last = box.end;
    reached = box.end;
  }
  if (reached >= total) return { end: Math.min(last, total) };
  return { needed: Math.min(reached + 16, total) };
}

// The times in seconds at which the pictures of the first video track are shown, in order; [] when there are none.
export function frameTimes(view) {
  const movie = find(view, 0, view.byteLength, "moov");
  const [pictures] = tracksOf(view, movie, "vide");
  if (!pictures) return [];
  const movieScale = timescale(view, find(view, movie.body, movie.end, "mvhd"));
  return trackTimes(view, pictures.track, pictures.media, movieScale);
}

// Whether the file has a sound track.
export function hasSound(view) {
  return tracksOf(view, find(view, 0, view.byteLength, "moov"), "soun").length > 0;
}

function tracksOf(view, movie, kind) {
  const tracks = [];
  for (const track of movie ? boxes(view, movie.body, movie.end) : []) {
    const media = track.type === "trak" && find(view, track.body, track.end, "mdia");
    const handler = media && find(view, media.body, media.end, "hdlr");
    if (handler && typeAt(view, handler.body + 8) === kind) tracks.push({ track, media });
  }
  return tracks;
}

function trackTimes(view, track, media, movieScale) {
  const scale = timescale(view, find(view, media.body, media.end, "mdhd"));
  const table = descend(view, media, ["minf", "stbl"]);
  const steps = table && find(view, table.body, table.end, "stts");
  if (!steps || !scale) return [];
  const shift = editShift(view, track, scale, movieScale);
  const offsets = compositionOffsets(view, find(view, table.body, table.end, "ctts"));
  const times = [];
  let decoded = 0;
  for (const [count, delta] of pairs(view, steps.body)) {
    for (let n = 0; n < count; n += 1) {
      times.push((decoded + (offsets[times.length] ?? 0)) / scale + shift);
      decoded += delta;
    }
  }
  return times.filter((time) => time > -1e-6).sort((a, b) => a - b);
}

function compositionOffsets(view, box) {
  if (!box) return [];
  const signed = view.getUint8(box.body) === 1;
  return [...pairs(view, box.body)].flatMap(([count, raw]) => Array(count).fill(signed ? raw | 0 : raw));
}

// What an edit list adds to media times: empty edits delay, the first real edit's media time is taken off.
function editShift(view, track, scale, movieScale) {
  const list = descend(view, track, ["edts", "elst"]);
  if (!list) return 0;
  const long = view.getUint8(list.body) === 1;
  const count = view.getUint32(list.body + 4);
  let at = list.body + 8;
  let delay = 0;
  for (let n = 0; n < count; n += 1) {
    const duration = long ? Number(view.getBigUint64(at)) : view.getUint32(at);
    const mediaTime = long ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4);
    if (mediaTime >= 0) return delay - mediaTime / scale;
    delay += movieScale ? duration / movieScale : 0;
    at += long ? 20 : 12;
  }
  return delay;
}

function timescale(view, box) {
  return box ? view.getUint32(box.body + (view.getUint8(box.body) === 1 ? 20 : 12)) : 0;
}

function* pairs(view, body) {
  const count = view.getUint32(body + 4);
  for (let n = 0; n < count; n += 1) yield [view.getUint32(body + 8 + n * 8), view.getUint32(body + 12 + n * 8)];
}

function find(view, start, end, type) {
  for (const box of boxes(view, start, end)) if (box.type === type) return box;
  return null;
}

function descend(view, box, path) {
  return path.reduce((found, type) => found && find(view, found.body, found.end, type), box);
}

function typeAt(view, at) {
  return String.fromCharCode(...[0, 1, 2, 3].map((n) => view.getUint8(at + n)));
}
