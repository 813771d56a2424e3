// How much of a clip was played, as levels of ranges in seconds: level k holds what was played at least k + 1 times.
// Pure. The server measures the same ranges again (review/playback.py).

const NEAR = 0.02; // seconds; a gap shorter than a frame is no gap
const SHORTEST_GAP = 0.05; // seconds; a shorter one is not worth naming
const MOST_RANGES = 50;

// Return `levels` with [start, end] played once more. At most `depth` levels are kept.
export function addPlayed(levels, [start, end], depth) {
  const result = [];
  let rest = end > start ? [[round(start), round(end)]] : [];
  for (let level = 0; level < depth; level += 1) {
    const before = levels[level] ?? [];
    result.push(simplified(united([...before, ...rest])));
    rest = rest.flatMap((range) => overlaps(before, range));
    if (rest.length === 0 && level + 1 >= levels.length) break;
  }
  return result;
}

// Seconds of [0, end] that the ranges cover together.
export function length(ranges, end) {
  return united(ranges).reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, end) - from), 0);
}

// Whether the clip was played `fullPlays` times, each to `fraction` of its duration.
export function isPlayed(levels, duration, { fullPlays, fraction }) {
  if (fullPlays === 0) return true;
  return levels.length >= fullPlays && length(levels[fullPlays - 1], duration) >= fraction * duration;
}

// How often the clip was played in full, and the ranges that the play under way has and lacks.
export function progress(levels, duration, { fraction }) {
  const whole = levels.findIndex((ranges) => length(ranges, duration) < fraction * duration);
  const plays = whole < 0 ? levels.length : whole;
  const played = united(levels[plays] ?? []);
  return { plays, played, gaps: played.length > 0 ? gapsOf(played, duration) : [] };
}

function gapsOf(played, duration) {
  const starts = [0, ...played.map(([, end]) => end)];
  const ends = [...played.map(([start]) => start), duration];
  const gaps = starts.map((start, n) => [start, ends[n]]);
  return gaps.filter(([start, end]) => end - start > SHORTEST_GAP);
}

export function united(ranges) {
  const result = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1] + NEAR) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function overlaps(ranges, [start, end]) {
  return ranges
    .map(([from, to]) => [Math.max(from, start), Math.min(to, end)])
    .filter(([from, to]) => to > from);
}

// A report has a fixed size at most: the shortest ranges go first, which can only understate what was played.
function simplified(ranges) {
  if (ranges.length <= MOST_RANGES) return ranges;
  const longest = [...ranges].sort((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, MOST_RANGES);
  return longest.sort((a, b) => a[0] - b[0]);
}

function round(seconds) {
  return Math.max(0, Math.round(seconds * 1000) / 1000);
}
