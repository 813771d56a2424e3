// The keys of a page with a player and a form, the dialog that lists them, and the buttons of the player.

import { fillDialog, Keys } from "./keys.js";

const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];

const TYPED_IN = "input:not([type=radio]):not([type=range]):not([type=checkbox]), textarea, select";
const LETTER = /^[a-z]$/i; // a number is typed without letters, so they keep their meaning there
const OWN_KEYS = { " ": "button, summary, a, [type=checkbox]", Enter: "button, summary, a" };

// Let keys and buttons do `acts` (by name; "help" is added) and answer the questions of `form`. A button that is pressed
// is handed to its act.
export function attendKeys(form, acts) {
  const dialog = $("[data-keys]");
  const all = { ...acts, help: () => dialog.showModal() };
  const keys = new Keys(form.answerKeys(), Object.keys(all));
  for (const button of $$("[data-act]")) button.addEventListener("click", () => all[button.dataset.act](button));
  document.addEventListener("keydown", (event) => {
    const typesLetters = !event.target.matches("[data-number]") || !LETTER.test(event.key);
    if (dialog.open || (event.target.matches(TYPED_IN) && typesLetters)) return;
    if (OWN_KEYS[event.key] && event.target.matches(OWN_KEYS[event.key])) return;
    const act = keys.actOf(event);
    if (act === null || (event.repeat && act !== "back" && act !== "forward")) return;
    event.preventDefault();
    if (act.startsWith("answer:")) form.answerByKey(act.slice("answer:".length));
    else all[act]();
  });
  $("[data-open-keys]").hidden = false;
  $("[data-open-keys]").addEventListener("click", () => all.help());
  fillDialog(dialog, keys, () => showKeys(keys));
}

function showKeys(keys) {
  for (const chip of $$(".option kbd")) {
    const { key } = chip.closest(".option").querySelector("input").dataset;
    chip.textContent = Keys.name(keys.map[`answer:${key}`]);
  }
  for (const chip of $$("[data-key-of]")) chip.textContent = Keys.name(keys.map[chip.dataset.keyOf]);
}
