// Adding clips: what is chosen is announced, its table appears at once, and the files are sent while it is filled in.

import { onFiles } from "./chosen.js";
import { Refused, answerOf, isSame, post, sendFile } from "./sending.js";

const canSend = Boolean(globalThis.crypto?.subtle); // only over HTTPS, and on this machine

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

function withoutTop(path) {
  return path.slice(path.indexOf("/") + 1);
}

function say(root, words) {
  const note = root.querySelector("[data-fault]");
  note.textContent = words;
  note.hidden = words === "";
}

function showScriptParts(root) {
  for (const part of root.querySelectorAll("[data-with-script]")) part.hidden = false;
  for (const part of root.querySelectorAll("[data-without-script]")) part.hidden = true;
}

// The page where an upload begins.

async function begin(page, files) {
  say(page, "");
  const announced = files.map(({ path, file }) => ({ path, size: file.size }));
  try {
    const answer = await answerOf(await post(location.href, JSON.stringify({ files: announced }), "application/json"));
    await showUpload(answer.url, files);
  } catch (fault) {
    say(page, fault instanceof Refused ? fault.message : "The connection is lost. Choose the files again.");
    page.querySelector("[data-begin]").reset();
  }
}

// The files live as long as this page does: the next one is put in its place.
async function showUpload(url, files) {
  const response = await fetch(url);
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  document.querySelector("main").replaceWith(next.querySelector("main"));
  document.title = next.title;
  history.pushState(null, "", url);
  scrollTo(0, 0);
  document.querySelector("h1").setAttribute("tabindex", "-1");
  document.querySelector("h1").focus();
  await openUpload(document.querySelector("[data-upload]"), files);
}

// The page of an upload.

class Sending {
  constructor(root) {
    this.root = root;
    this.part = root.querySelector("[data-sending]");
    this.bar = root.querySelector("[data-sending-bar]");
    this.busy = false;
  }

  title(words) {
    this.part.querySelector("[data-sending-title]").textContent = words;
  }

  words(words) {
    this.part.querySelector("[data-sending-words]").textContent = words;
  }

  show(value, max, text) {
    this.bar.max = Math.max(max, 1);
    this.bar.value = value;
    this.part.querySelector("[data-sending-text]").textContent = text;
  }

  async run(files) {
    if (this.busy) return;
    this.busy = true;
    say(this.root, "");
    try {
      const state = await answerOf(await fetch(this.root.dataset.stateUrl));
      const chosen = await this.matched(state, files);
      this.part.querySelector("[data-again]").hidden = true;
      await this.send(state, chosen);
      await lookAtAll(this);
    } catch (fault) {
      if (!(fault instanceof Refused) && !(fault instanceof TypeError)) throw fault;
      say(this.root, fault instanceof Refused ? fault.message : "The connection is lost. Choose the same files again to go on.");
      this.part.querySelector("[data-again]").hidden = false;
    } finally {
      this.busy = false;
    }
  }

  // Pairs each file that is still missing with the one that was chosen. Folders may have been stripped of their top.
  async matched(state, files) {
    const chosen = [];
    for (const [number, entry] of state.files.entries()) {
      const isIt = ({ path, file }) => file.size === entry.size && (path === entry.path || withoutTop(path) === entry.path);
      const one = files.find(isIt);
      if (one) showStill(this.root, number, one.file);
      if (entry.received === entry.size) continue;
      if (!one) throw new Refused(`“${entry.path}” is missing, or has another size than before. Choose all of the same files.`);
      if (!(await isSame(one.file, entry, state.piece_bytes))) throw new Refused(`“${entry.path}” has changed since it was sent in part. Throw this upload away and begin again.`);
      chosen.push({ number, file: one.file, entry });
    }
    return chosen;
  }

  async send(state, chosen) {
    const total = state.files.reduce((sum, entry) => sum + entry.size, 0);
    let sent = state.files.reduce((sum, entry) => sum + entry.received, 0);
    const tell = () => this.show(sent, total, `${megabytes(sent)} of ${megabytes(total)}`);
    tell();
    this.title("Sending");
    for (const [place, { number, file, entry }] of chosen.entries()) {
      const words = `File ${place + 1} of ${chosen.length}: ${entry.path}. You can fill in the table while it is sent.`;
      this.words(words);
      await sendFile(this.root.dataset.pieceUrl, number, file, entry, state.piece_bytes, {
        onProgress: (bytes) => {
          sent += bytes;
          tell();
          this.words(words);
        },
        onTrouble: (trouble) => this.words(trouble),
      });
    }
  }
}

function showStill(root, number, file) {
  const place = root.querySelector(`[data-file="${number}"] [data-still]`);
  if (!place || place.firstElementChild) return;
  const video = document.createElement("video");
  video.muted = true;
  video.preload = "metadata";
  video.tabIndex = -1;
  video.src = `${URL.createObjectURL(file)}#t=0.5`;
  // What this browser cannot show is shown by the server's own still picture, after the check.
  video.addEventListener("error", () => video.remove());
  place.append(video);
}

async function lookAtAll(sending) {
  const { root } = sending;
  sending.title("All files are here");
  sending.words("They are looked at.");
  for (let more = true; more; ) {
    const answer = await answerOf(await post(root.dataset.lookUrl));
    sending.show(answer.looked, answer.total, `${answer.looked} of ${answer.total} looked at`);
    more = answer.more;
  }
  sending.words("All of them were looked at. The check says whether they fit.");
  for (const button of root.querySelectorAll("[data-needs-all]")) button.disabled = false;
  sending.busy = false;
  // What a ZIP holds is known only now. With a CSV file there is nothing to fill in: the check can follow at once.
  if (root.querySelector("[data-unpacking]")) location.reload();
  else if (!root.querySelector(".clip-table")) root.querySelector("[value=check]").click();
}

async function openUpload(root, files) {
  const sending = new Sending(root);
  showScriptParts(root);
  onFiles(root.querySelector("[data-drop]"), (chosen) => sending.run(chosen));
  addEventListener("beforeunload", (event) => {
    if (sending.busy) event.preventDefault();
  });
  if (files) await sending.run(files);
  else if (root.querySelector("[data-unpacking]")) await sending.run([]);
}

const page = document.querySelector("[data-clips]");
const upload = document.querySelector("[data-upload]");
if (canSend && page) {
  showScriptParts(page);
  onFiles(page.querySelector("[data-drop]"), (files) => begin(page, files));
}
if (canSend && upload) openUpload(upload);
// Going back from an upload that was put in the place of this page.
addEventListener("popstate", () => location.reload());
