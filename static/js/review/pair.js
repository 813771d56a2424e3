// The page of a blind pair: two players of which one plays at a time, one question, the draft and the keys.

import { warmUp } from "./clip.js";
import { Controls, playerActs } from "./controls.js";
import { attendKeys } from "./desk.js";
import { AnswerForm } from "./form.js";
import { AnswerPage } from "./page.js";
import { Player } from "./player.js";
import { isLockable } from "./rules.js";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];

const data = JSON.parse($("#pair-data").textContent);
const { rules } = data;
const page = new AnswerPage(data, measured);
const { draft, ending } = page;
const sides = $$("[data-side]").map((root) => {
  const name = root.dataset.side;
  const player = new Player($("[data-video]", root), draft.playback[name] ?? {}, rules.playback);
  const url = $("[data-video]", root).getAttribute("src");
  return { name, root, url, player, controls: new Controls(player, root), acts: playerActs(player, root) };
});
const form = new AnswerForm($("[data-form]"), rules, {
  isOpen: () => sides.every(({ player }) => player.isOpen),
  done: "A locked answer cannot be changed.",
  left: () => (sides.every(({ player }) => player.isOpen) ? "Choose an answer." : "Play both clips in full, then choose."),
});
page.join(form, {
  early: "Play both clips first",
  outdated: "An answer kept in this browser was older than the one on the server; the newer one is shown.",
});
let active = sides[0];

// ---- which clip plays ----------------------------------------------------------------------------------------------

function choose(side) {
  active = side;
  for (const each of sides) each.root.classList.toggle("is-active", each === side);
}

// Go over to the other clip; when this one plays, the other continues instead.
function swap() {
  const wasPlaying = !active.player.video.paused;
  active.player.video.pause();
  choose(sides.find((side) => side !== active));
  if (wasPlaying) active.acts.play();
  $("[data-act=play]", active.root).focus();
}

// What a button does to its own clip, and a key to the one that is chosen.
function onEither(act) {
  return (button) => {
    const root = button?.closest("[data-side]");
    if (root) choose(sides.find((side) => side.root === root));
    return active.acts[act]();
  };
}

for (const side of sides) {
  const { video } = side.player;
  video.addEventListener("play", () => {
    for (const other of sides) if (other !== side) other.player.video.pause();
    choose(side);
  });
  video.addEventListener("volumechange", () => {
    for (const other of sides) {
      other.player.video.volume = video.volume; // both clips are heard equally loud
      other.player.video.muted = video.muted;
    }
  });
  side.player.addEventListener("gate", gate);
  side.player.addEventListener("measured", () => draft.change({ playback: measured(), now: false }));
}

function measured() {
  return Object.fromEntries(sides.map(({ name, player }) => [name, player.measured()]));
}

function gate() {
  for (const { root, player, controls } of sides) {
    $("[data-after-gate]", root).hidden = !player.isOpen;
    $("[data-gate]", root).hidden = player.isOpen;
    $("[data-played]", root).hidden = !player.isOpen;
    controls.showTools();
  }
  form.refresh();
  if (form.isOpen() && data.urls.nextMedia.length > 0) warmUp(...data.urls.nextMedia).catch(() => null); // a head start
}

// ---- the answer ----------------------------------------------------------------------------------------------------

form.element.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isLockable(rules, form.answers) && form.isOpen()) ending.ask();
  else form.goOn();
});

// ---- start ---------------------------------------------------------------------------------------------------------

addEventListener("pagehide", () => sides.forEach(({ player }) => player.leave()));
attendKeys(
  form,
  {
    ...Object.fromEntries(Object.keys(active.acts).map((act) => [act, onEither(act)])),
    other: swap,
    submit: () => form.element.requestSubmit(),
  },
  ending,
);
choose(active);
page.start(gate);
for (const { controls, url } of sides) controls.load(url);
