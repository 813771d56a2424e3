// What the page of a clip and the page of a pair share: a draft, a form, the end of both, and what is said of refusals.

import { Draft } from "./drafts.js";
import { Ending } from "./ending.js";
import { alertWith, LEADS_AWAY, loginNeeded, status, tellOfSaving } from "./notices.js";

const $ = (selector) => document.querySelector(selector);

export class AnswerPage {
  // `data` is the page's own, as the server wrote it. `measured` gives the playback as it is now.
  constructor(data, measured) {
    this.measured = measured;
    this.draft = new Draft(data);
    this.form = null;
    this.ending = new Ending($("[data-ending]"), this.draft, { measured, onRefused: (reply) => this.refused(reply) });
  }

  // Join the form to the draft. `words` are said at a key before the clip was played, and of an older draft here.
  join(form, words) {
    this.form = form;
    form.addEventListener("changed", (event) => {
      this.ending.cancel(); // who changes an answer does not want the earlier ones locked
      this.draft.change({ answers: event.detail, playback: this.measured() });
    });
    form.addEventListener("early", () => status(words.early, "is-waiting"));
    $("[data-unplayable]").addEventListener("submit", (event) => this.#reportUnplayable(event));
    tellOfSaving(this.draft);
    this.draft.addEventListener("refused", (event) => this.refused(event.detail));
    this.draft.addEventListener("replaced", (event) => form.show(event.detail.answers));
    this.outdatedWords = words.outdated;
  }

  // Show the draft, and send what the server does not have yet. `gate` opens what may be answered.
  start(gate) {
    this.form.show(this.draft.answers);
    gate();
    if (this.draft.dirty) this.draft.change({});
    if (this.draft.outdated) alertWith(this.outdatedWords);
  }

  refused(reply) {
    if (LEADS_AWAY.includes(reply.code) || reply.status === 404) return location.reload(); // that page says why
    if (reply.code === "login" || reply.status === 401) return loginNeeded();
    for (const [key, words] of Object.entries(reply.violations ?? {})) this.form.fault(key, words);
    status("Not saved", "is-waiting");
    if (reply.code !== "stale") alertWith(reply.message ?? "The server did not take that. Please try again.");
  }

  async #reportUnplayable(event) {
    event.preventDefault();
    this.draft.playback = this.measured();
    const reply = await this.draft.reportUnplayable(new FormData(event.target).get("reason"));
    if (reply.done) location.assign(reply.next);
    else this.refused(reply);
  }
}
