// Sends files in pieces. Each piece is checked by its SHA-256; after a lost connection it continues where it stopped.

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15000;

export class Refused extends Error {}

function token() {
  return document.querySelector("[name=csrfmiddlewaretoken]").value;
}

export async function post(url, body, type) {
  const headers = { "X-CSRFToken": token(), Accept: "application/json" };
  if (type) headers["Content-Type"] = type;
  return fetch(url, { method: "POST", body, headers });
}

async function wordsOf(response) {
  try {
    return (await response.json()).words;
  } catch {
    if (response.status === 403) return "You are logged out, or this page is too old. Load it again.";
    return `The server answered with status ${response.status}.`;
  }
}

export async function answerOf(response) {
  if (!response.ok || response.redirected) throw new Refused(await wordsOf(response));
  return response.json();
}

async function sha256(bytes) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    addEventListener("online", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

// Does `attempt` until the server answers; `onTrouble` is called for each lost connection.
async function untilAnswered(attempt, onTrouble) {
  let wait = FIRST_WAIT_MS;
  for (;;) {
    let words = "The connection is lost. It is tried again.";
    try {
      const response = await attempt();
      const isPassing = response.status === 429 || response.status === 502 || response.status === 503 || response.status === 504;
      if (!isPassing) return response;
      words = "The server is busy. It is tried again.";
    } catch (fault) {
      // The file itself cannot be read any more: no later try would help.
      if (fault instanceof DOMException && fault.name === "NotReadableError") throw new Refused("A file cannot be read any more. Was it moved or changed?");
    }
    onTrouble(words);
    await pause(wait);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

async function sendPiece(url, number, file, offset, size, onTrouble) {
  const bytes = await file.slice(offset, offset + size).arrayBuffer();
  const query = new URLSearchParams({ file: number, piece: offset / size, sha256: await sha256(bytes) });
  const response = await untilAnswered(() => post(`${url}?${query}`, bytes, "application/octet-stream"), onTrouble);
  // The piece had come although its answer was lost, or was damaged: the server says where to go on.
  if (response.status === 409) return { ...(await response.json()), again: true };
  return answerOf(response);
}

// Says whether `file` begins with what has come of it.
export async function isSame(file, entry, pieceBytes) {
  if (!entry.received) return true;
  const begin = Math.floor((entry.received - 1) / pieceBytes) * pieceBytes;
  return (await sha256(await file.slice(begin, entry.received).arrayBuffer())) === entry.last_piece;
}

const MOST_DAMAGED = 5;

export async function sendFile(url, number, file, entry, pieceBytes, { onProgress, onTrouble }) {
  let offset = entry.received;
  let damaged = 0;
  while (offset < file.size) {
    const answer = await sendPiece(url, number, file, offset, pieceBytes, onTrouble);
    if (answer.again && answer.received === offset && ++damaged > MOST_DAMAGED) throw new Refused(answer.words);
    onProgress(answer.received - offset);
    offset = answer.received;
  }
}
