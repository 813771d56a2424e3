// The page of one clip: joins the form, its rules, the player, the draft and the keys.

import { clipBytes, warmUp } from "./clip.js";
import { Draft } from "./drafts.js";
import { fillDialog, Keys } from "./keys.js";
import { frameTimes } from "./mp4.js";
import { Player } from "./player.js";
import { isLockable, mayStand, missing, openStage, permitted } from "./rules.js";
import { drawWave, peaksOf } from "./wave.js";

const WAVE_BINS = 320;

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const data = JSON.parse($("#sheet-data").textContent);
const { rules } = data;
const form = $("[data-form]");
const questions = $$("[data-question]", form);
const draft = new Draft(data);
const player = new Player($("[data-video]"), draft.playback, rules.playback);
const keys = new Keys(answerKeys());
let current = null;
let locking = false;

// ---- the form ------------------------------------------------------------------------------------------------------

function radiosOf(question) {
  return $$("input[type=radio]", question);
}

function answersShown() {
  const chosen = questions.map((question) => [question.dataset.question, $("input:checked", question)?.value]);
  return Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
}

function show(answers) {
  for (const question of questions) {
    for (const radio of radiosOf(question)) radio.checked = radio.value === answers[question.dataset.question];
  }
  refresh();
}

// Open what may be answered now: the stage that is due, and each N/A exactly where the rules permit it.
function refresh() {
  const answers = answersShown();
  const stage = player.isOpen ? openStage(rules, answers) : 0;
  for (const part of $$("[data-stage]", form)) part.disabled = Number(part.dataset.stage) > stage;
  for (const question of questions) {
    for (const radio of radiosOf(question)) {
      const isOffered = mayStand(rules, question.dataset.question, radio.value, answers);
      radio.disabled = !isOffered;
      radio.closest(".option").classList.toggle("is-closed", !isOffered);
    }
  }
  const left = missing(rules, answers);
  $("[data-lock]").disabled = !player.isOpen || left.length > 0;
  $("[data-missing]").textContent =
    left.length === 0 ? "Locked answers cannot be changed." : `${left.length} of ${questions.length} still open`;
  if (left.length > 0) askToLock(false);
}

function changed(question) {
  const given = answersShown();
  const kept = permitted(rules, given);
  for (const item of questions) fault(item, "");
  for (const key of Object.keys(given)) {
    if (kept[key] === undefined) fault(questionOf(key), "Cleared: not possible beside the new answer above.");
  }
  show(kept);
  focusOn(question);
  draft.change({ answers: kept });
}

function questionOf(key) {
  return questions.find((question) => question.dataset.question === key);
}

function fault(question, words) {
  $("[data-fault]", question).textContent = words;
  question.classList.toggle("has-fault", words !== "");
}

function focusOn(question) {
  current = question;
  for (const item of questions) item.classList.toggle("is-current", item === question);
}

function firstOpen() {
  const [key] = missing(rules, answersShown());
  return key ? questionOf(key) : null;
}

// Move the focus to the next open question, or to the button when there is none.
function goOn() {
  const question = firstOpen();
  focusOn(question);
  if (question === null) return $("[data-lock]").focus();
  (radiosOf(question).find((radio) => !radio.disabled) ?? question).focus();
}

function answerByKey(key) {
  const question = current ?? firstOpen();
  if (question === null || question.closest("[data-stage]").disabled) return;
  const offered = radiosOf(question).filter((radio) => !radio.disabled && radio.dataset.key === key);
  if (offered.length === 0) return;
  const place = offered.findIndex((radio) => radio.checked);
  offered[(place + 1) % offered.length].checked = true; // several N/A reasons share a key: it goes round
  changed(question);
  goOn();
}

function answerKeys() {
  const found = new Map();
  for (const radio of $$("input[type=radio]", form)) {
    const { key } = radio.dataset;
    const words = /^\d$/.test(key) ? `Answer ${key}` : $(".option__label", radio.parentElement).textContent.trim();
    if (!found.has(key)) found.set(key, radio.value.startsWith("na:") ? "N/A" : words);
  }
  return [...found];
}

form.addEventListener("change", (event) => {
  if (event.target.type === "radio") changed(event.target.closest("[data-question]"));
});
form.addEventListener("focusin", (event) => {
  const question = event.target.closest("[data-question]");
  if (question) focusOn(question);
});

// ---- the end of a sheet --------------------------------------------------------------------------------------------

function askToLock(asks) {
  $("[data-ask]").hidden = asks;
  $("[data-confirm]").hidden = !asks;
  if (asks) $("[data-confirm-lock]").focus();
}

async function lock() {
  if (locking) return;
  locking = true;
  status("Locking …", "is-waiting");
  $("[data-confirm-lock]").disabled = true;
  draft.playback = player.measured();
  const reply = await draft.lock();
  if (reply.done) return location.assign(reply.next);
  locking = false;
  $("[data-confirm-lock]").disabled = false;
  askToLock(false);
  refused(reply);
}

function refused(reply) {
  if (reply.code === "ended" || reply.code === "closed" || reply.status === 404) return location.reload();
  if (reply.code === "login" || reply.status === 401) return loginNeeded();
  for (const [key, words] of Object.entries(reply.violations ?? {})) if (questionOf(key)) fault(questionOf(key), words);
  status("Not saved", "is-waiting");
  if (reply.code !== "stale") alertWith(reply.message ?? "The server did not take that. Please try again.");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter?.matches("[data-later]")) {
    draft.change({ playback: player.measured() });
    if (await draft.flush()) HTMLFormElement.prototype.submit.call(laterForm(event.submitter.formAction));
    return;
  }
  if (isLockable(rules, answersShown()) && player.isOpen) askToLock(true);
  else goOn();
});
$("[data-confirm-lock]").addEventListener("click", lock);
$("[data-confirm-back]").addEventListener("click", () => {
  askToLock(false);
  $("[data-lock]").focus();
});
$("[data-unplayable]").addEventListener("submit", async (event) => {
  event.preventDefault();
  draft.playback = player.measured();
  const reply = await draft.reportUnplayable(new FormData(event.target).get("reason"));
  if (reply.done) location.assign(reply.next);
  else refused(reply);
});

function laterForm(address) {
  const copy = document.createElement("form");
  copy.method = "post";
  copy.action = address;
  copy.append($("[name=csrfmiddlewaretoken]", form).cloneNode());
  document.body.append(copy);
  return copy;
}

// ---- what the page says --------------------------------------------------------------------------------------------

function status(words, kind = "") {
  const place = $("[data-status]");
  place.textContent = words;
  place.className = `review-bar__status ${kind}`;
}

function alertWith(words, link = null) {
  const place = $("[data-alert]");
  place.replaceChildren(words, ...(link ? [" ", link] : []));
  place.hidden = false;
}

function loginNeeded() {
  status("Not saved yet", "is-waiting");
  const link = document.createElement("a");
  link.href = `/login/?next=${encodeURIComponent(location.pathname)}`;
  link.textContent = "Log in again";
  alertWith("Your session has ended. Your answers are kept in this browser and are sent once you are back.", link);
}

draft.addEventListener("waiting", () => status("Saving …"));
draft.addEventListener("offline", () => status("No connection; kept here", "is-waiting"));
draft.addEventListener("login", loginNeeded);
draft.addEventListener("refused", (event) => refused(event.detail));
draft.addEventListener("saved", (event) => {
  status("Saved", "is-saved");
  $("[data-alert]").hidden = true;
  $("[name=revision]", form).value = event.detail.revision;
});
draft.addEventListener("replaced", (event) => {
  show(event.detail.answers);
  status("Saved", "is-saved");
  alertWith(event.detail.message);
});

// ---- the player ----------------------------------------------------------------------------------------------------

const acts = {
  play: () => !$("[data-act=play]").disabled && player.toggle(),
  back: () => player.step(-1),
  forward: () => player.step(1),
  loopStart: () => player.loopFrom(),
  loopEnd: () => player.loopTo(),
  loop: () => player.toggleLoop(),
  speed: () => player.toggleSpeed(),
  mute: () => (player.video.muted = !player.video.muted),
  fullscreen: () => (document.fullscreenElement ? document.exitFullscreen() : player.video.requestFullscreen()),
  submit: () => ($("[data-confirm]").hidden ? form.requestSubmit() : lock()),
  help: () => $("[data-keys]").showModal(),
};
const seek = $("[data-seek]");
const volume = $("[data-volume]");
const wave = $("[data-wave]");
let peaks = null;

function showPlayer() {
  const { video } = player;
  const play = $("[data-act=play]");
  play.classList.toggle("is-playing", !video.paused);
  play.setAttribute("aria-label", video.paused ? "Play" : "Pause");
  $("[data-act=mute]").setAttribute("aria-pressed", String(video.muted));
  volume.value = String(video.volume);
  if (!Number.isFinite(video.duration)) return;
  seek.max = String(video.duration);
  seek.value = String(video.currentTime);
  seek.setAttribute("aria-valuetext", `${video.currentTime.toFixed(1)} of ${video.duration.toFixed(1)} seconds`);
  $("[data-time]").textContent = `${video.currentTime.toFixed(2)} / ${video.duration.toFixed(2)} s`;
}

function showTools() {
  $("[data-act=loop]").setAttribute("aria-pressed", String(player.looping));
  $("[data-act=speed]").setAttribute("aria-pressed", String(player.video.playbackRate !== 1));
  const { duration } = player;
  const marks = player.looping && Number.isFinite(duration) ? player.loop.map((time) => time / duration) : null;
  drawWave(wave, player.isOpen ? peaks : null, marks);
}

function gate() {
  const note = $("[data-gate]");
  $("[data-after-gate]").hidden = !player.isOpen;
  note.hidden = player.isOpen;
  refresh();
  showTools();
  if (player.isOpen && data.urls.nextMedia) warmUp(data.urls.nextMedia).catch(() => status("")); // only a head start
}

function notice(words) {
  $("[data-notice]").textContent = words;
  $("[data-notice]").hidden = words === "";
}

player.addEventListener("moved", showPlayer);
player.addEventListener("loop", showTools);
player.addEventListener("speed", showTools);
player.addEventListener("gate", () => {
  gate();
  if (!form.contains(document.activeElement)) goOn();
});
player.addEventListener("measured", () => draft.change({ playback: player.measured(), now: false }));
player.addEventListener("trouble", () => {
  if (!player.video.error) return;
  notice("This clip does not play here. Reload the page once; if it still does not, report it below.");
  $(".clip__trouble").open = true;
});
player.video.addEventListener("click", () => acts.play());
seek.addEventListener("input", () => player.seek(Number(seek.value)));
volume.addEventListener("input", () => {
  player.video.volume = Number(volume.value);
  player.video.muted = false;
});
for (const button of $$("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act]());
addEventListener("resize", showTools);

async function load() {
  const { video } = player;
  notice("Fetching the clip …");
  video.removeAttribute("src");
  video.load(); // lets go of the address, or the browser would fetch the padding too
  video.preload = "auto";
  video.controls = false;
  video.addEventListener("loadeddata", () => ($("[data-act=play]").disabled = false));
  $("[data-controls]").hidden = false;
  let bytes = null;
  try {
    bytes = await clipBytes(data.urls.media, (share) => notice(`Fetching the clip … ${Math.round(share * 100)} %`));
  } catch {
    video.src = data.urls.media; // the browser may manage by itself, and says so if not
    return notice("");
  }
  video.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
  notice("");
  player.frames = frameTimes(new DataView(bytes));
  peaks = await peaksOf(bytes, WAVE_BINS);
  showTools();
}

// ---- keys ----------------------------------------------------------------------------------------------------------

const TYPED_IN = "input:not([type=radio]):not([type=range]):not([type=checkbox]), textarea, select";
const OWN_KEYS = { " ": "button, summary, a, [type=checkbox]", Enter: "button, summary, a" };

document.addEventListener("keydown", (event) => {
  if ($("[data-keys]").open || event.target.matches(TYPED_IN)) return;
  if (event.key === "Escape" && !$("[data-confirm]").hidden) return $("[data-confirm-back]").click();
  if (OWN_KEYS[event.key] && event.target.matches(OWN_KEYS[event.key])) return;
  const act = keys.actOf(event);
  if (act === null || (event.repeat && act !== "back" && act !== "forward")) return;
  event.preventDefault();
  if (act.startsWith("answer:")) answerByKey(act.slice("answer:".length));
  else acts[act]();
});
$("[data-open-keys]").hidden = false;
$("[data-open-keys]").addEventListener("click", acts.help);
fillDialog($("[data-keys]"), keys, () => {
  for (const chip of $$(".option kbd")) {
    const { key } = chip.closest(".option").querySelector("input").dataset;
    chip.textContent = Keys.name(keys.map[`answer:${key}`]);
  }
  for (const chip of $$("[data-key-of]")) chip.textContent = Keys.name(keys.map[chip.dataset.keyOf]);
});

// ---- start ---------------------------------------------------------------------------------------------------------

show(draft.answers);
gate();
if (draft.dirty) draft.change({});
if (draft.outdated) alertWith("Answers kept in this browser were older than those on the server; the newer ones are shown.");
load();
