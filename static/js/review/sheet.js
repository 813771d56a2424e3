// The page of one clip: joins the form, its rules, the player, the draft and the keys.

import { warmUp } from "./clip.js";
import { Controls, playerActs } from "./controls.js";
import { attendKeys } from "./desk.js";
import { AnswerForm } from "./form.js";
import { AnswerPage } from "./page.js";
import { Player } from "./player.js";
import { isLockable } from "./rules.js";

const $ = (selector, root = document) => root.querySelector(selector);

const data = JSON.parse($("#sheet-data").textContent);
const { rules } = data;
const page = new AnswerPage(data, () => player.measured());
const { draft, ending } = page;
const player = new Player($("[data-video]"), draft.playback, rules.playback);
const controls = new Controls(player);
const form = new AnswerForm($("[data-form]"), rules, {
  isOpen: () => player.isOpen,
  hasImpression: () => rules.firstImpression.length === 0 || draft.hasImpression,
  done: "Locked answers cannot be changed.",
});
page.join(form, {
  early: "Play the clip first",
  outdated: "Answers kept in this browser were older than those on the server; the newer ones are shown.",
});

// ---- the end of a sheet --------------------------------------------------------------------------------------------

// The server keeps the first impression, and only its word for it opens the rest.
function keepImpression() {
  draft.keepImpression(player.measured());
}

form.element.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter?.matches("[data-later]")) {
    draft.change({ playback: player.measured() });
    if (await draft.flush()) HTMLFormElement.prototype.submit.call(laterForm(event.submitter.formAction));
    return;
  }
  if (form.awaitsImpression) keepImpression();
  else if (isLockable(rules, form.answers) && player.isOpen) ending.ask();
  else form.goOn();
});
$("[data-keep]")?.addEventListener("click", keepImpression);
for (const button of document.querySelectorAll("[data-take-time]")) {
  button.hidden = false;
  button.addEventListener("click", () => form.takeTime(button.closest("[data-question]"), player.video.currentTime));
}

function laterForm(address) {
  const copy = document.createElement("form");
  copy.method = "post";
  copy.action = address;
  copy.append($("[name=csrfmiddlewaretoken]", form.element).cloneNode());
  document.body.append(copy);
  return copy;
}

// ---- what the page says --------------------------------------------------------------------------------------------

draft.addEventListener("saved", (event) => {
  $("[name=revision]", form.element).value = event.detail.revision;
  if (player.toolsAllowed === form.hasImpression()) return;
  gate();
  form.goOn();
});
draft.addEventListener("replaced", gate);

// ---- the player ----------------------------------------------------------------------------------------------------

function gate() {
  player.toolsAllowed = form.hasImpression();
  $("[data-after-gate]").hidden = !player.hasTools;
  const note = $("[data-before-tools]");
  if (note) note.hidden = !player.isOpen || player.toolsAllowed;
  $("[data-gate]").hidden = player.isOpen;
  form.refresh();
  controls.showTools();
  if (player.isOpen && data.urls.nextMedia) warmUp(data.urls.nextMedia).catch(() => null); // only a head start
}

player.addEventListener("gate", () => {
  gate();
  if (!form.element.contains(document.activeElement)) form.goOn();
});
player.addEventListener("measured", () => draft.change({ playback: player.measured(), now: false }));
addEventListener("pagehide", () => player.leave());

// ---- start ---------------------------------------------------------------------------------------------------------

attendKeys(form, { ...playerActs(player), submit: () => form.element.requestSubmit() }, ending);
page.start(gate);
controls.load(data.urls.media);
