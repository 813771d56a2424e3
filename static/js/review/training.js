// The page of a training clip: the player and the form of a real one, but nothing is saved. Comparing is a plain form.

import { Controls, playerActs } from "./controls.js";
import { attendKeys } from "./desk.js";
import { AnswerForm } from "./form.js";
import { Player } from "./player.js";

const $ = (selector) => document.querySelector(selector);

const { rules, urls } = JSON.parse($("#sheet-data").textContent);
const player = new Player($("[data-video]"), {}, rules.playback);
const controls = new Controls(player);
const form = new AnswerForm($("[data-form]"), rules, { isOpen: () => player.isOpen, done: "Nothing of this is kept." });

function gate() {
  $("[data-after-gate]").hidden = !player.isOpen;
  $("[data-gate]").hidden = player.isOpen;
  form.refresh();
  controls.showTools();
}

player.addEventListener("gate", () => {
  gate();
  if (!form.element.contains(document.activeElement)) form.goOn();
});

attendKeys(form, {
  ...playerActs(player),
  submit: () => ($("[data-lock]").disabled ? form.goOn() : form.element.requestSubmit()),
});
form.show(form.answers);
gate();
controls.load(urls.media);
