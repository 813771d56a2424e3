// Fetches the bytes of a clip, all that hold sound and picture and none of the padding, so that it plays without a
// stall and seeks exactly. The next clip is fetched ahead and kept in the browser's cache store until it is shown.

import { contentEnd } from "./mp4.js";

const STORE = "fartbench-clips";
const FIRST_BYTES = 65536;

// Return the clip as an ArrayBuffer, from the store when it was fetched ahead. `onProgress` gets 0 to 1.
export async function clipBytes(url, onProgress = () => {}) {
  const kept = await stored(url);
  if (kept) return kept;
  return fetched(url, onProgress);
}

// Fetch clips ahead of their turn and forget all others. Without a store (plain HTTP) nothing happens.
export async function warmUp(...urls) {
  const store = await openStore();
  if (!store) return;
  for (const request of await store.keys()) {
    if (!urls.includes(new URL(request.url).pathname)) await store.delete(request);
  }
  for (const url of urls) {
    if (!(await store.match(url))) await store.put(url, new Response(await fetched(url, () => {})));
  }
}

async function openStore() {
  return "caches" in globalThis ? caches.open(STORE).catch(() => null) : null;
}

async function stored(url) {
  const store = await openStore();
  const response = await store?.match(url);
  return response ? response.arrayBuffer() : null;
}

async function fetched(url, onProgress) {
  let { bytes, total } = await range(url, 0, FIRST_BYTES - 1);
  let content = contentEnd(view(bytes), total);
  while (content.needed !== undefined && content.needed > bytes.byteLength) {
    // The headers that say where the content ends lie further on: usually one small step behind the samples.
    const more = await range(url, bytes.byteLength, content.needed - 1, (done) => onProgress(done / total));
    bytes = joined(bytes, more.bytes);
    content = contentEnd(view(bytes), total);
  }
  const end = content.end ?? total;
  if (end > bytes.byteLength) {
    const start = bytes.byteLength;
    const more = await range(url, start, end - 1, (done) => onProgress((start + done) / end));
    bytes = joined(bytes, more.bytes);
  }
  return bytes.slice(0, end).buffer;
}

async function range(url, first, last, onBytes = () => {}) {
  const response = await fetch(url, { headers: { Range: `bytes=${first}-${last}` }, credentials: "same-origin" });
  if (response.status !== 206) throw new Error(`the clip's server answered ${response.status}`);
  const total = Number(response.headers.get("Content-Range").split("/")[1]);
  const parts = [];
  let done = 0;
  for (let reader = response.body.getReader(), part; !(part = await reader.read()).done; ) {
    parts.push(part.value);
    done += part.value.byteLength;
    onBytes(done);
  }
  return { bytes: joined(...parts), total };
}

function view(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
