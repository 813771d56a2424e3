// One key per act, no chords, and each can be changed (kept in this browser).

import { read, write } from "./store.js";

const STORE = "fartbench.keys";

export const ACTS = {
  play: [" ", "Play or pause"],
  start: ["Home", "From the start"],
  seekBack: ["ArrowLeft", "One second back"],
  seekOn: ["ArrowRight", "One second on"],
  back: [",", "One frame back"],
  forward: [".", "One frame on"],
  loopStart: ["[", "Loop from here"],
  loopEnd: ["]", "Loop up to here"],
  loop: ["l", "Loop on or off"],
  speed: ["s", "Half speed"],
  mute: ["m", "Mute"],
  fullscreen: ["f", "Full screen"],
  other: ["o", "The other clip"],
  submit: ["Enter", "Lock (asks first)"],
  help: ["?", "Show the keys, or close them"],
};

export class Keys {
  // `answers` is [[key, words]] for the answers that the form offers, each once; `acts` names what the page can do.
  constructor(answers, acts) {
    const known = Object.entries(ACTS).filter(([act]) => acts.includes(act));
    this.defaults = Object.fromEntries(known.map(([act, [key]]) => [act, key]));
    this.words = Object.fromEntries(known.map(([act, [, words]]) => [act, words]));
    for (const [key, words] of answers) {
      this.defaults[`answer:${key}`] = key;
      this.words[`answer:${key}`] = words;
    }
    const stored = read(STORE) ?? {};
    this.on = stored.on ?? true;
    const changed = Object.entries(stored.map ?? {}).filter(([act]) => act in this.defaults);
    this.map = { ...this.defaults, ...Object.fromEntries(changed) };
  }

  // The act that a key event asks for, or null. Chords belong to the browser.
  actOf(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = Object.keys(this.map).find((name) => this.map[name] === key) ?? null;
    return this.on || act === "help" || act === "submit" ? act : null;
  }

  // Give an act another key, unless another act has it. Returns what is wrong, or "".
  change(act, key) {
    const name = key.length === 1 ? key.toLowerCase() : key;
    const other = Object.keys(this.map).find((candidate) => candidate !== act && this.map[candidate] === name);
    if (other) return `“${Keys.name(name)}” is taken: ${this.words[other]}.`;
    this.map[act] = name;
    this.#write();
    return "";
  }

  turn(on) {
    this.on = on;
    this.#write();
  }

  reset() {
    this.map = { ...this.defaults };
    this.#write();
  }

  static name(key) {
    return { " ": "Space", ArrowLeft: "←", ArrowRight: "→" }[key] ?? key;
  }

  #write() {
    write(STORE, { on: this.on, map: this.map });
  }
}

// Fill the dialog that lists the keys. A key changes only after its "Change" button was pressed; the key that opened the
// dialog closes it.
export function fillDialog(dialog, keys, onChange) {
  const list = dialog.querySelector("[data-keys-list]");
  const onBox = dialog.querySelector("[data-keys-on]");
  const words = dialog.querySelector("[data-keys-words]");
  let changing = null; // the act that waits for its new key

  function draw(focusOn = null) {
    onBox.checked = keys.on;
    list.replaceChildren(...Object.keys(keys.map).map(row));
    if (focusOn) list.querySelector(`[data-change="${CSS.escape(focusOn)}"]`).focus();
    onChange();
  }

  function row(act) {
    const line = document.createElement("div");
    const chip = document.createElement("kbd");
    chip.textContent = act === changing ? "…" : Keys.name(keys.map[act]);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button--quiet button--small";
    button.dataset.change = act;
    button.textContent = act === changing ? "Press a key" : "Change";
    button.setAttribute("aria-label", `${button.textContent}: ${keys.words[act]}`);
    button.addEventListener("click", () => begin(act));
    const name = document.createElement("span");
    name.textContent = keys.words[act];
    line.append(name, chip, button);
    return line;
  }

  function begin(act) {
    changing = act;
    words.textContent = `Press the new key for “${keys.words[act]}”. Esc keeps the old one.`;
    draw(act);
  }

  function end(text) {
    const act = changing;
    changing = null;
    words.textContent = text;
    draw(act);
  }

  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page's own keys rest while the dialog is open
    if (["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    if (changing === null) {
      if (event.key === keys.map.help) dialog.close();
      return;
    }
    event.preventDefault();
    if (event.repeat) return;
    if (event.key === "Escape") return end("");
    const fault = keys.change(changing, event.key);
    if (fault) words.textContent = `${fault} Press another key, or Esc.`;
    else end("Changed.");
  });
  dialog.addEventListener("close", () => {
    changing = null;
    words.textContent = "";
    draw();
  });
  onBox.addEventListener("change", () => keys.turn(onBox.checked));
  dialog.querySelector("[data-keys-reset]").addEventListener("click", () => {
    keys.reset();
    words.textContent = "All keys are as they were at first.";
    draw();
  });
  draw();
}
