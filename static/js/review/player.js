// Drives the page's one <video>: plays, measures what was played, and after the gate loops, steps and slows.
// Never starts by itself.

import { addPlayed, isPlayed, progress } from "./coverage.js";

const LONGEST_STEP = 1.5; // seconds between two looks at the clock; more is a jump and not played
const EDGE = 0.05; // a browser's last picture ends a little before or after the stated duration
const MOST_ERRORS = 8;
const MOST_GAPS_NAMED = 3;
const MUTED = 0.5; // a clip whose sound was off for more than this share of the time counts as played muted
const ERRORS = ["", "ABORTED", "NETWORK", "DECODE", "SRC_NOT_SUPPORTED"];

export class Player extends EventTarget {
  // `report` is what was measured before; `asked` is {fullPlays, fraction}.
  constructor(video, report, asked) {
    super();
    this.video = video;
    this.asked = asked;
    this.report = {
      covered: [], plays: 0, watched_s: 0, hidden_s: 0, muted_s: 0, stalls: 0, stalled_s: 0, dropped_frames: 0,
      tool_uses: 0, errors: [], ...report,
    }; // prettier-ignore
    this.earlierDrops = this.report.dropped_frames;
    this.frames = [];
    this.toolsAllowed = true; // a first impression comes before frame steps, loops and half speed
    this.loop = null;
    this.looping = false;
    this.mark = null;
    this.stalledAt = null;
    this.#listen();
  }

  get isOpen() {
    return this.wasOpen || (this.wasOpen = isPlayed(this.report.covered, this.duration, this.asked));
  }

  get hasTools() {
    return this.isOpen && this.toolsAllowed;
  }

  // Whether most of what was played was played with the sound off.
  get wasMuted() {
    return this.report.watched_s > 0 && this.report.muted_s > MUTED * this.report.watched_s;
  }

  // The ranges of the play under way, in seconds, until the questions open.
  get playedNow() {
    return this.isOpen ? [] : progress(this.report.covered, this.duration, this.asked).played;
  }

  // What is left to play before the questions open, in words; "" before the first play and after the last.
  get leftToPlay() {
    if (this.isOpen || this.report.covered.length === 0 || this.duration === Infinity) return "";
    const { plays, gaps } = progress(this.report.covered, this.duration, this.asked);
    const named = gaps.slice(0, MOST_GAPS_NAMED).map(([start, end]) => `${start.toFixed(1)} to ${end.toFixed(1)} s`);
    if (named.length > 0) return `Not played yet: ${named.join(", ")}${gaps.length > named.length ? ", and more" : ""}.`;
    const left = this.asked.fullPlays - plays;
    return left === 1 ? "Play it once more in full." : `Play it ${left} more times in full.`;
  }

  get duration() {
    return Number.isFinite(this.video.duration) ? this.video.duration : Infinity;
  }

  // What is sent with a draft.
  measured() {
    const drops = this.video.getVideoPlaybackQuality?.().droppedVideoFrames ?? 0;
    const rounded = Object.fromEntries(
      Object.entries(this.report).map(([key, value]) => [key, key.endsWith("_s") ? Math.round(value * 100) / 100 : value]),
    );
    return {
      ...rounded,
      dropped_frames: this.earlierDrops + drops,
      volume: this.video.muted ? 0 : Math.round(this.video.volume * 100) / 100,
      viewport: [window.innerWidth, window.innerHeight],
    };
  }

  toggle() {
    if (!this.video.paused) return this.video.pause();
    if (this.loop && this.looping && !this.#inLoop()) this.video.currentTime = this.loop[0];
    this.#begin();
    return this.video.play().catch((error) => this.#note(`PLAY ${error.name}`));
  }

  seek(seconds) {
    this.video.currentTime = Math.min(Math.max(0, seconds), this.duration);
  }

  // One frame on or back, by the times at which the clip's own pictures are shown.
  step(direction) {
    if (!this.hasTools || this.frames.length === 0) return;
    this.report.tool_uses += 1;
    this.video.pause();
    const now = this.video.currentTime;
    const shown = this.frames.findLastIndex((time) => time <= now + 0.001);
    const target = Math.min(Math.max(0, shown + direction), this.frames.length - 1);
    const ends = this.frames[target + 1] ?? this.duration;
    // The middle of a picture's time: its very edge may show either neighbour.
    this.video.currentTime = this.frames[target] + Math.min(0.5 * (ends - this.frames[target]), 0.02);
  }

  setLoop(start, end) {
    if (!this.hasTools) return;
    this.report.tool_uses += 1;
    this.loop = end - start > 0.05 ? [Math.max(0, start), Math.min(end, this.duration)] : null;
    this.looping = this.loop !== null;
    this.#tell("loop");
  }

  loopFrom() {
    const now = this.video.currentTime;
    this.setLoop(now, this.loop && this.loop[1] > now + 0.05 ? this.loop[1] : this.duration);
  }

  loopTo() {
    const now = this.video.currentTime;
    this.setLoop(this.loop && this.loop[0] < now - 0.05 ? this.loop[0] : 0, now);
  }

  toggleLoop() {
    if (!this.hasTools) return;
    if (this.loop === null) return this.setLoop(0, this.duration);
    this.looping = !this.looping;
    this.#tell("loop");
  }

  toggleSpeed() {
    if (!this.hasTools) return;
    this.report.tool_uses += 1;
    this.video.playbackRate = this.video.playbackRate === 1 ? 0.5 : 1;
  }

  // The page is left: what was played until now counts.
  leave() {
    if (this.mark !== null) this.#stopped();
  }

  #listen() {
    const on = (name, act) => this.video.addEventListener(name, act);
    on("loadedmetadata", () => this.isOpen && this.#tell("gate")); // played in full before a reload
    on("play", () => this.#begin());
    on("playing", () => this.#started());
    on("timeupdate", () => this.#look());
    on("pause", () => this.#stopped());
    on("seeking", () => this.#stopped({ jumped: true }));
    on("seeked", () => !this.video.paused && this.#started());
    on("waiting", () => this.#stalled());
    on("ended", () => this.#ended());
    on("error", () => this.video.error && this.#note(ERRORS[this.video.error.code] ?? "UNKNOWN"));
    on("ratechange", () => {
      if (!this.hasTools && this.video.playbackRate !== 1) this.video.playbackRate = 1;
      this.#tell("speed");
    });
    for (const name of ["play", "pause", "loadedmetadata", "timeupdate", "seeked", "volumechange"]) on(name, () => this.#tell("moved"));
  }

  // From here the clip plays: noted when play is asked for, since a busy computer says "playing" when it long has been.
  #begin() {
    this.mark ??= { time: this.video.currentTime, at: performance.now() };
  }

  #started() {
    if (this.stalledAt !== null) {
      this.report.stalled_s += (performance.now() - this.stalledAt) / 1000;
      this.stalledAt = this.mark = null;
    }
    this.#begin();
  }

  // Count what was played since the last look; the clock on the wall bounds it.
  #look() {
    if (this.mark === null) return;
    const time = this.video.currentTime;
    const at = performance.now();
    const passed = (at - this.mark.at) / 1000;
    const played = time - this.mark.time;
    if (played > 0 && played <= LONGEST_STEP * passed * this.video.playbackRate + 0.25) this.#count(this.mark.time, time, passed);
    this.mark = { time, at };
    if (this.looping && !this.video.paused && time >= this.loop[1] - 0.01) this.video.currentTime = this.loop[0];
  }

  #count(from, to, passed) {
    const report = this.report;
    const wasOpen = this.isOpen;
    report.watched_s += to - from;
    if (document.hidden) report.hidden_s += passed;
    if (this.video.muted || this.video.volume === 0) report.muted_s += passed;
    const start = from < EDGE ? 0 : from;
    const end = to > this.duration - EDGE ? this.duration : to;
    report.covered = addPlayed(report.covered, [start, end], Math.max(1, this.asked.fullPlays));
    if (wasOpen || !this.isOpen) return;
    this.#tell("gate");
    this.#tell("measured"); // the clip's end may never be seen: the gate must not close again for that
  }

  #stopped({ jumped = false } = {}) {
    if (!jumped) this.#look();
    this.mark = null;
    this.#tell("measured");
  }

  #ended() {
    this.report.plays += 1;
    this.#stopped();
    if (this.looping) {
      this.video.currentTime = this.loop[0];
      this.toggle();
    }
  }

  #stalled() {
    if (this.video.paused || this.video.seeking || this.mark === null) return;
    this.report.stalls += 1;
    this.stalledAt = performance.now();
  }

  #note(error) {
    if (this.report.errors.length < MOST_ERRORS) this.report.errors = [...this.report.errors, error];
    this.#tell("trouble");
  }

  #inLoop() {
    return this.video.currentTime >= this.loop[0] - 0.01 && this.video.currentTime < this.loop[1] - 0.01;
  }

  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}
