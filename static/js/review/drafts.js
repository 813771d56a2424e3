// Keeps a draft in two places: in this browser at once, and on the server as soon as it answers. Nothing is called
// saved before the server has said so, and what is newer elsewhere is never overwritten.

import { read, remove, write } from "./store.js";

const TIMEOUT_MS = 15000;
const RETRIES_MS = [1000, 2000, 4000, 8000, 15000, 30000];
const PLAYBACK_PAUSE_MS = 1500;
const MOST_UNANSWERED = 20;

export class Draft extends EventTarget {
  // `data` is the page's own: {reviewer, stimulus, revision, answers, playback, urls}.
  constructor(data) {
    super();
    this.urls = data.urls;
    this.questions = data.rules.questions.map(({ key }) => key);
    this.name = `fartbench.draft.${data.reviewer}.${data.stimulus}`;
    this.revision = data.revision;
    this.answers = { ...data.answers };
    this.playback = data.playback;
    this.hasImpression = data.hasImpression;
    this.keepsImpression = false; // asked for, and not yet confirmed by the server
    this.unanswered = []; // the answers of requests whose reply has not come: one of them may have been stored
    this.dirty = false;
    this.failures = 0;
    this.busy = null;
    this.timer = null;
    this.ended = false;
    this.attempt = null; // of locking, while it lasts
    this.#takeUpLocal(data);
    addEventListener("online", () => this.#soon(0));
    addEventListener("focus", () => this.#soon(0));
    addEventListener("pagehide", () => this.dirty && this.#keepLocal());
  }

  // Take new answers; `now` sends at once, else when the player rests. After the end nothing is taken any more.
  change({ answers = this.answers, playback = this.playback, now = true }) {
    if (this.ended) return;
    this.answers = { ...answers };
    this.playback = playback;
    this.dirty = true;
    this.#keepLocal();
    this.#tell("waiting");
    this.#soon(now ? 0 : PLAYBACK_PAUSE_MS);
  }

  // Keep the first impression as it is answered now; "saved" says when the server has it.
  keepImpression(playback) {
    this.keepsImpression = true;
    this.change({ playback });
  }

  get locking() {
    return this.attempt !== null;
  }

  // Lock the sheet: asked again after a lost connection until there is an answer, or until cancelLock(). Resolves to
  // {done, next}, a refusal, or {cancelled}. No draft is sent while it lasts: it would find the sheet locked.
  async lock() {
    const attempt = (this.attempt = new AbortController());
    clearTimeout(this.timer);
    await this.busy;
    for (let tries = 0; !attempt.signal.aborted; tries += 1) {
      const reply = await this.#call(this.urls.lock, "POST", this.#content(), attempt.signal);
      if (reply.status === 200) return this.#end(reply.body);
      if (reply.status !== 0 && reply.status < 500) return this.#lockRefused(reply);
      if (attempt.signal.aborted) break;
      this.#tell("offline");
      this.#tell("lockwaits");
      await pause(RETRIES_MS[Math.min(tries, RETRIES_MS.length - 1)], attempt.signal);
    }
    return { done: false, cancelled: true };
  }

  // Call off a lock that has no answer yet. The server may have taken it all the same: a draft that is sent at once
  // brings the truth.
  cancelLock() {
    if (!this.attempt) return;
    this.attempt.abort();
    this.attempt = null;
    this.dirty = true;
    this.#soon(0);
  }

  async reportUnplayable(reason) {
    clearTimeout(this.timer);
    await this.busy;
    const reply = await this.#call(this.urls.unplayable, "POST", { reason, playback: this.playback });
    if (reply.status === 200) return this.#end(reply.body);
    return this.#refusal(reply);
  }

  // Wait until everything is on the server, or say that it is not.
  async flush() {
    await this.busy;
    if (this.dirty) await this.#send();
    return !this.dirty;
  }

  #lockRefused(reply) {
    this.attempt = null;
    const refusal = this.#refusal(reply);
    this.#soon(0);
    return refusal;
  }

  #content() {
    const answers = Object.fromEntries(this.questions.map((key) => [key, this.answers[key] ?? null]));
    return { revision: this.revision, answers, playback: this.playback, keepImpression: this.keepsImpression };
  }

  #soon(delay) {
    if (!this.dirty || this.ended || this.locking) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#send(), delay);
  }

  #send() {
    if (!this.dirty || this.ended || this.locking) return Promise.resolve();
    if (this.busy) return this.busy;
    this.busy = this.#sendOnce().finally(() => {
      this.busy = null;
      if (this.dirty && this.failures === 0) this.#soon(0);
    });
    return this.busy;
  }

  async #sendOnce() {
    this.unanswered = [...this.unanswered, { ...this.answers }].slice(-MOST_UNANSWERED);
    this.dirty = false;
    this.#keepLocal();
    const reply = await this.#call(this.urls.draft, "PUT", this.#content());
    if (reply.status === 200) return this.#saved(reply.body);
    this.dirty = true;
    if (reply.status === 409 && reply.body.code === "stale") return this.#stale(reply.body.draft, reply.body.message);
    if (reply.status !== 0 && reply.status !== 401 && reply.status < 500) {
      this.dirty = false;
      this.keepsImpression = false;
      this.#forgetLocal();
      return this.#tell("refused", this.#refusal(reply));
    }
    this.#keepLocal();
    const wait = RETRIES_MS[Math.min(this.failures, RETRIES_MS.length - 1)];
    this.failures += 1;
    this.#tell(reply.status === 401 ? "login" : "offline", reply.body);
    this.#soon(wait);
  }

  #saved(stored) {
    this.failures = 0;
    this.#noteStored(stored);
    this.unanswered = [];
    if (this.dirty) return this.#keepLocal(); // more was answered since; it is sent next
    this.answers = stored.answers;
    this.#keepLocal(); // a page that is asked for just now may still be made from what was stored before
    this.#tell("saved", stored);
  }

  // The server has another revision. When it holds what was sent from here, only the reply had got lost and all is well;
  // else what is stored counts, and this page shows it.
  #stale(stored, message) {
    this.failures = 0;
    this.#noteStored(stored);
    if (this.unanswered.some((answers) => same(answers, stored.answers))) return this.#soon(0);
    this.answers = stored.answers;
    this.dirty = false;
    this.#forgetLocal();
    this.#tell("replaced", { ...stored, message });
  }

  #noteStored(stored) {
    this.revision = stored.revision;
    this.hasImpression = stored.hasImpression;
    this.keepsImpression = this.keepsImpression && !stored.hasImpression;
  }

  #takeUpLocal(data) {
    const local = read(this.name);
    if (!local) return;
    const isNewer = local.revision > data.revision; // this page was made before the last save was stored
    if (local.saved && !isNewer) return;
    const follows =
      isNewer || local.revision === data.revision || local.unanswered.some((answers) => same(answers, data.answers));
    if (!follows) {
      this.#forgetLocal();
      this.outdated = !same(local.answers, data.answers);
      return;
    }
    if (isNewer) this.#noteStored(local);
    this.answers = local.answers;
    this.playback = local.playback;
    this.unanswered = local.unanswered; // what the page before this one sent may still arrive
    this.dirty = true;
  }

  #end(body) {
    this.ended = true;
    this.#forgetLocal();
    return { done: true, ...body };
  }

  #refusal(reply) {
    const refusal = { done: false, status: reply.status, ...reply.body };
    if (refusal.code === "locked_otherwise") this.#end({}); // what this page holds is never to be taken up again
    if (refusal.code === "stale") this.#stale(refusal.draft, refusal.message);
    return refusal;
  }

  async #call(url, method, body, cancelled = null) {
    const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrfToken() };
    try {
      const response = await fetch(url, {
        method, headers, body: JSON.stringify(body), credentials: "same-origin", signal: limit(cancelled),
      }); // prettier-ignore
      const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
      const status = response.status === 403 ? 401 : response.status; // a form token that went with the old session
      return { status, body: isJson ? await response.json() : {} };
    } catch {
      return { status: 0, body: {} };
    }
  }

  #keepLocal() {
    const { revision, answers, playback, unanswered, hasImpression } = this;
    const saved = !this.dirty && unanswered.length === 0;
    write(this.name, { revision, answers, playback, unanswered, hasImpression, saved });
  }

  #forgetLocal() {
    this.unanswered = [];
    remove(this.name);
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function same(one, other) {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => one[key] === other[key]);
}

// Read anew for each request: logging in again changes it.
function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]*)/)?.[1] ?? "";
}

// A request ends after a while, or when it is cancelled.
function limit(cancelled) {
  const either = new AbortController();
  setTimeout(() => either.abort(), TIMEOUT_MS);
  cancelled?.addEventListener("abort", () => either.abort());
  return either.signal;
}

// Wait a while, or until the connection is back or the waiting is cancelled.
function pause(milliseconds, cancelled) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", resolve, { once: true });
    cancelled.addEventListener("abort", resolve, { once: true });
  });
}
