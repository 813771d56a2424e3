// The player's buttons, position, volume and waveform strip, and how a clip gets into the player.

import { clipBytes } from "./clip.js";
import { frameTimes, hasSound } from "./mp4.js";
import { drawWave, peaksOf } from "./wave.js";

const WAVE_BINS = 320;

const $ = (selector, root = document) => root.querySelector(selector);

// What the buttons and keys do to a player, whose buttons are in `root`.
export function playerActs(player, root = document) {
  const { video } = player;
  return {
    play: () => !$("[data-act=play]", root).disabled && player.toggle(),
    start: () => player.seek(0),
    seekBack: () => player.seek(video.currentTime - 1),
    seekOn: () => player.seek(video.currentTime + 1),
    back: () => player.step(-1),
    forward: () => player.step(1),
    loopStart: () => player.loopFrom(),
    loopEnd: () => player.loopTo(),
    loop: () => player.toggleLoop(),
    speed: () => player.toggleSpeed(),
    mute: () => (video.muted = !video.muted),
    fullscreen: () => (document.fullscreenElement ? document.exitFullscreen() : video.requestFullscreen()),
  };
}

export class Controls {
  constructor(player, root = document) {
    this.player = player;
    this.root = root;
    this.peaks = null;
    this.seek = $("[data-seek]", this.root);
    this.volume = $("[data-volume]", this.root);
    this.#listen();
  }

  // Fetch a clip and hand it to the player; until then it cannot be started.
  async load(url) {
    const { video } = this.player;
    this.notice("Fetching the clip …");
    video.removeAttribute("src");
    video.load(); // lets go of the address, or the browser would fetch the padding too
    video.preload = "auto";
    video.controls = false;
    $("[data-controls]", this.root).hidden = false;
    let bytes = null;
    try {
      bytes = await clipBytes(url, (share) => this.notice(`Fetching the clip … ${Math.round(share * 100)} %`));
    } catch {
      video.src = url; // the browser may manage by itself, and says so if not
      return this.notice("");
    }
    video.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
    this.notice("");
    this.player.frames = frameTimes(new DataView(bytes));
    $("[data-silent]", this.root).hidden = hasSound(new DataView(bytes));
    this.peaks = await peaksOf(bytes, WAVE_BINS);
    this.showTools();
  }

  notice(words) {
    $("[data-notice]", this.root).textContent = words;
    $("[data-notice]", this.root).hidden = words === "";
  }

  // Show loop, speed, what is left to play and, once the clip was played in full, its waveform.
  showTools() {
    const { duration, hasTools, loop, looping, playedNow, video } = this.player;
    $("[data-act=loop]", this.root).setAttribute("aria-pressed", String(looping));
    $("[data-act=speed]", this.root).setAttribute("aria-pressed", String(video.playbackRate !== 1));
    const ranges = looping ? [loop] : playedNow;
    const marked = Number.isFinite(duration) ? ranges.map((range) => range.map((time) => time / duration)) : [];
    drawWave($("[data-wave]", this.root), hasTools ? this.peaks : null, marked);
    this.#showLeft();
  }

  #listen() {
    const { player } = this;
    const { video } = player;
    player.addEventListener("moved", () => this.#showPosition());
    player.addEventListener("measured", () => this.showTools());
    player.addEventListener("loop", () => this.showTools());
    player.addEventListener("speed", () => this.showTools());
    player.addEventListener("trouble", () => this.#showTrouble());
    video.addEventListener("loadeddata", () => ($("[data-act=play]", this.root).disabled = false));
    video.addEventListener("click", () => playerActs(player, this.root).play());
    this.seek.addEventListener("input", () => player.seek(Number(this.seek.value)));
    this.volume.addEventListener("input", () => {
      video.volume = Number(this.volume.value);
      video.muted = false;
    });
    addEventListener("resize", () => this.showTools());
  }

  #showPosition() {
    const { video } = this.player;
    const play = $("[data-act=play]", this.root);
    play.classList.toggle("is-playing", !video.paused);
    play.setAttribute("aria-label", video.paused ? "Play" : "Pause");
    $("[data-act=mute]", this.root).setAttribute("aria-pressed", String(video.muted));
    this.volume.value = String(video.volume);
    $("[data-sound-off]", this.root).hidden = video.paused || !(video.muted || video.volume === 0);
    if (!Number.isFinite(video.duration)) return;
    this.seek.max = String(video.duration);
    this.seek.value = String(video.currentTime);
    this.seek.setAttribute("aria-valuetext", `${video.currentTime.toFixed(1)} of ${video.duration.toFixed(1)} seconds`);
    $("[data-time]", this.root).textContent = `${video.currentTime.toFixed(2)} / ${video.duration.toFixed(2)} s`;
  }

  #showLeft() {
    const { isOpen, leftToPlay, wasMuted } = this.player;
    const place = $("[data-left-to-play]", this.root);
    place.textContent = isOpen && wasMuted ? "You played this clip with the sound off. Play it again with sound." : leftToPlay;
    place.hidden = place.textContent === "";
  }

  #showTrouble() {
    if (!this.player.video.error) return;
    this.notice("This clip does not play here. Reload the page once; if it still does not, report it below.");
    $(".clip__trouble").open = true;
  }
}
