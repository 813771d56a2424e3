// The end of a sheet or a vote. "Lock" only asks. The answer is another key and another button, in another place: no
// repeated key and no double click can lock what its reviewer did not mean to lock.

import { status } from "./notices.js";

export const CONFIRM_KEY = "y";
const SECOND_CLICK_MS = 500; // a click this soon after the question belongs to the click before it

const $ = (selector, root = document) => root.querySelector(selector);

export class Ending {
  // `measured` gives the playback to send, `onRefused` gets a reply that did not lock.
  constructor(root, draft, { measured, onRefused }) {
    this.root = root;
    this.draft = draft;
    this.measured = measured;
    this.onRefused = onRefused;
    this.question = $("[data-confirm]", root);
    this.waits = $("[data-lock-waits]", root);
    this.lockButton = $("[data-confirm-lock]", root);
    this.backButton = $("[data-confirm-back]", root);
    this.lockButton.addEventListener("click", () => this.confirm());
    this.backButton.addEventListener("click", () => this.cancel());
    draft.addEventListener("lockwaits", () => (this.waits.hidden = false));
  }

  get isAsking() {
    return !this.question.hidden;
  }

  // Put the question. The focus is on the question itself, where neither Space nor Enter presses anything.
  ask() {
    if (this.isAsking) return;
    this.#show(true);
    this.question.focus();
    this.lockButton.disabled = this.backButton.disabled = true;
    setTimeout(() => {
      this.lockButton.disabled = this.draft.locking;
      this.backButton.disabled = false;
    }, SECOND_CLICK_MS);
  }

  async confirm() {
    if (this.draft.locking) return;
    status("Locking …", "is-waiting");
    this.lockButton.disabled = true;
    this.draft.playback = this.measured();
    const reply = await this.draft.lock();
    if (reply.done) return location.assign(reply.next);
    if (reply.cancelled) return; // cancel() has shown the answers again
    this.#show(false);
    this.onRefused(reply);
  }

  // Go back to the answers. A lock that waits for the connection is called off.
  cancel() {
    if (!this.isAsking) return;
    this.draft.cancelLock();
    const hadFocus = this.question.contains(document.activeElement);
    this.#show(false);
    if (hadFocus) this.root.focus();
  }

  #show(asks) {
    $("[data-ask]", this.root).hidden = asks;
    this.question.hidden = !asks;
    this.waits.hidden = true;
  }
}
