// The page of a training clip: the player and the form of a real one, but nothing is saved. Comparing is a plain form.

import { Controls, playerActs } from "./controls.js";
import { attendKeys } from "./desk.js";
import { AnswerForm } from "./form.js";
import { Player } from "./player.js";

const $ = (selector) => document.querySelector(selector);

const { rules, urls } = JSON.parse($("#sheet-data").textContent);
const player = new Player($("[data-video]"), {}, rules.playback);
const controls = new Controls(player);
let hasImpression = rules.firstImpression.length === 0;
const form = new AnswerForm($("[data-form]"), rules, {
  isOpen: () => player.isOpen,
  hasImpression: () => hasImpression,
  done: "These answers are not stored.",
});

function gate() {
  player.toolsAllowed = hasImpression;
  $("[data-after-gate]").hidden = !player.hasTools;
  $("[data-gate]").hidden = player.isOpen;
  form.refresh();
  controls.showTools();
}

player.addEventListener("gate", () => {
  gate();
  if (!form.element.contains(document.activeElement)) form.goOn();
});

form.addEventListener("early", () => ($("[data-status]").textContent = "Play the clip first"));

function keepImpression() {
  hasImpression = true;
  gate();
  form.goOn();
}

$("[data-keep]")?.addEventListener("click", keepImpression);
form.element.addEventListener("submit", () => form.enable());
attendKeys(form, {
  ...playerActs(player),
  submit: () => (form.awaitsImpression ? keepImpression() : $("[data-lock]").disabled ? form.goOn() : form.element.requestSubmit()),
});
form.show(form.answers);
gate();
controls.load(urls.media);
