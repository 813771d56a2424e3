// The keys of a page with a player and a form, the dialog that lists them, and the buttons of the player.

import { CONFIRM_KEY } from "./ending.js";
import { fillDialog, Keys } from "./keys.js";

const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];

const TYPED_IN = "input:not([type=radio]):not([type=range]):not([type=checkbox]), textarea, select";
const LETTER = /^[a-z]$/i; // a number is typed without letters, so they keep their meaning there
const ARROWS = "[type=radio], [type=range]";
const OWN_KEYS = {
  " ": "button, summary, a, [type=checkbox]",
  Enter: "button, summary, a",
  ArrowLeft: ARROWS,
  ArrowRight: ARROWS,
  Home: "[type=range]",
};
const HELD = ["back", "forward", "seekBack", "seekOn"]; // these go on while their key is held down

// Let keys and buttons do `acts` (by name; "help" is added) and answer the questions of `form`. A button that is pressed
// is handed to its act. While `ending` asks whether to lock, keys play the clip or answer that question, nothing else.
export function attendKeys(form, acts, ending = null) {
  const dialog = $("[data-keys]");
  const all = { ...acts, help: () => dialog.showModal() };
  const keys = new Keys(form.answerKeys(), Object.keys(all));
  for (const button of $$("[data-act]")) button.addEventListener("click", () => all[button.dataset.act](button));
  document.addEventListener("keydown", (event) => {
    if (dialog.open || isTyping(event)) return;
    if (isUndo(event)) {
      event.preventDefault();
      return form.undo();
    }
    if (ending?.isAsking && event.key === "Escape") return ending.cancel();
    if (event.target.matches(OWN_KEYS[event.key] ?? ":not(*)")) return;
    const act = keys.actOf(event);
    if (ending?.isAsking && act !== "play") return answerEnding(ending, keys, event);
    if (act === null || (event.repeat && !HELD.includes(act))) return;
    event.preventDefault();
    if (act.startsWith("answer:")) form.answerByKey(act.slice("answer:".length));
    else all[act]();
  });
  $("[data-open-keys]").hidden = false;
  $("[data-open-keys]").addEventListener("click", () => all.help());
  fillDialog(dialog, keys, () => showKeys(keys));
}

// Whether a key belongs to the text that is typed. In a number box letters keep their meaning.
function isTyping(event) {
  const { target, key } = event;
  if (!target.matches(TYPED_IN)) return false;
  return !(target.matches("[data-number]") && LETTER.test(key) && !event.ctrlKey && !event.metaKey);
}

function isUndo(event) {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z";
}

// The key that locks works once for each time it is pressed, and only while single keys are switched on.
function answerEnding(ending, keys, event) {
  const isChord = event.ctrlKey || event.altKey || event.metaKey;
  if (event.key.toLowerCase() !== CONFIRM_KEY || isChord || event.repeat || !keys.on) return;
  event.preventDefault();
  ending.confirm();
}

function showKeys(keys) {
  for (const chip of $$(".option kbd")) {
    const { key } = chip.closest(".option").querySelector("input").dataset;
    chip.textContent = Keys.name(keys.map[`answer:${key}`]);
  }
  for (const chip of $$("[data-key-of]")) chip.textContent = Keys.name(keys.map[chip.dataset.keyOf]);
}
