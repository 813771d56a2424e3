// One key per act, no chords, and each can be changed (kept in this browser).

import { read, write } from "./store.js";

const STORE = "fartbench.keys";

export const ACTS = {
  play: [" ", "Play or pause"],
  back: [",", "One frame back"],
  forward: [".", "One frame on"],
  loopStart: ["[", "Loop from here"],
  loopEnd: ["]", "Loop up to here"],
  loop: ["l", "Loop on or off"],
  speed: ["s", "Half speed"],
  mute: ["m", "Mute"],
  fullscreen: ["f", "Full screen"],
  other: ["o", "The other clip"],
  submit: ["Enter", "Lock the answers"],
  help: ["?", "Show the keys"],
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

  // Give an act another key; the act that had it gets the old one, so that no key does two things.
  change(act, key) {
    const name = key.length === 1 ? key.toLowerCase() : key;
    const other = Object.keys(this.map).find((candidate) => this.map[candidate] === name);
    if (other) this.map[other] = this.map[act];
    this.map[act] = name;
    this.#write();
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
    return { " ": "Space" }[key] ?? key;
  }

  #write() {
    write(STORE, { on: this.on, map: this.map });
  }
}

// Fill the dialog that lists the keys; pressing a key in a box changes that one.
export function fillDialog(dialog, keys, onChange) {
  const list = dialog.querySelector("[data-keys-list]");
  const onBox = dialog.querySelector("[data-keys-on]");
  const draw = () => {
    onBox.checked = keys.on;
    list.replaceChildren(...Object.keys(keys.map).map((act) => row(act)));
    onChange();
  };
  const row = (act) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.value = Keys.name(keys.map[act]);
    box.readOnly = true;
    box.addEventListener("keydown", (event) => {
      if (["Tab", "Escape", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      keys.change(act, event.key);
      draw();
      list.querySelectorAll("input")[Object.keys(keys.map).indexOf(act)].focus();
    });
    label.append(keys.words[act], box);
    return label;
  };
  onBox.addEventListener("change", () => keys.turn(onBox.checked));
  dialog.querySelector("[data-keys-reset]").addEventListener("click", () => {
    keys.reset();
    draw();
  });
  draw();
}
