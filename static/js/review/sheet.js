// The page of one clip: joins the form, its rules, the player, the draft and the keys.

import { warmUp } from "./clip.js";
import { Controls, playerActs } from "./controls.js";
import { Draft } from "./drafts.js";
import { fillDialog, Keys } from "./keys.js";
import { Player } from "./player.js";
import { isLockable, mayStand, missing, openStage, permitted } from "./rules.js";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const data = JSON.parse($("#sheet-data").textContent);
const { rules } = data;
const form = $("[data-form]");
const questions = $$("[data-question]", form);
const draft = new Draft(data);
const player = new Player($("[data-video]"), draft.playback, rules.playback);
const controls = new Controls(player);
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
  ...playerActs(player),
  submit: () => ($("[data-confirm]").hidden ? form.requestSubmit() : lock()),
  help: () => $("[data-keys]").showModal(),
};

function gate() {
  $("[data-after-gate]").hidden = !player.isOpen;
  $("[data-gate]").hidden = player.isOpen;
  refresh();
  controls.showTools();
  if (player.isOpen && data.urls.nextMedia) warmUp(data.urls.nextMedia).catch(() => null); // only a head start
}

player.addEventListener("gate", () => {
  gate();
  if (!form.contains(document.activeElement)) goOn();
});
player.addEventListener("measured", () => draft.change({ playback: player.measured(), now: false }));
for (const button of $$("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act]());

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
controls.load(data.urls.media);
