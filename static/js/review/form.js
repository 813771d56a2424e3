// The form of a clip: what may be answered now, what an answer clears, and the question that keys answer. It knows of
// no server: a page listens to "changed" and decides what becomes of the answers.

import { mayStand, missing, openStage, permitted } from "./rules.js";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

export class AnswerForm extends EventTarget {
  // `isOpen` says whether the questions may be answered at all; `done` is what stands there when nothing is missing.
  constructor(element, rules, { isOpen, done }) {
    super();
    this.element = element;
    this.rules = rules;
    this.isOpen = isOpen;
    this.done = done;
    this.questions = $$("[data-question]", element);
    this.current = null;
    element.addEventListener("change", (event) => {
      if (event.target.type === "radio") this.#changed(event.target.closest("[data-question]"));
    });
    element.addEventListener("focusin", (event) => {
      const question = event.target.closest("[data-question]");
      if (question) this.#focusOn(question);
    });
  }

  // The answers that are chosen, by question.
  get answers() {
    const chosen = this.questions.map((question) => [question.dataset.question, $("input:checked", question)?.value]);
    return Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
  }

  show(answers) {
    for (const question of this.questions) {
      for (const radio of radiosOf(question)) radio.checked = radio.value === answers[question.dataset.question];
    }
    this.refresh();
  }

  // Open what may be answered now: the stage that is due, and each N/A exactly where the rules permit it.
  refresh() {
    const { answers, rules } = this;
    const stage = this.isOpen() ? openStage(rules, answers) : 0;
    for (const part of $$("[data-stage]", this.element)) part.disabled = Number(part.dataset.stage) > stage;
    for (const question of this.questions) {
      for (const radio of radiosOf(question)) {
        const isOffered = mayStand(rules, question.dataset.question, radio.value, answers);
        radio.disabled = !isOffered;
        radio.closest(".option").classList.toggle("is-closed", !isOffered);
      }
    }
    const left = missing(rules, answers).length;
    $("[data-lock]").disabled = !this.isOpen() || left > 0;
    $("[data-missing]").textContent = left === 0 ? this.done : `${left} of ${this.questions.length} still open`;
    if (left > 0) this.dispatchEvent(new Event("incomplete"));
  }

  fault(key, words) {
    const question = this.#questionOf(key);
    if (!question) return;
    $("[data-fault]", question).textContent = words;
    question.classList.toggle("has-fault", words !== "");
  }

  // Move the focus to the next open question, or to the button when there is none.
  goOn() {
    const question = this.#firstOpen();
    this.#focusOn(question);
    if (question === null) return $("[data-lock]").focus();
    (radiosOf(question).find((radio) => !radio.disabled) ?? question).focus();
  }

  answerByKey(key) {
    const question = this.current ?? this.#firstOpen();
    if (question === null || question.closest("[data-stage]").disabled) return;
    const offered = radiosOf(question).filter((radio) => !radio.disabled && radio.dataset.key === key);
    if (offered.length === 0) return;
    const place = offered.findIndex((radio) => radio.checked);
    offered[(place + 1) % offered.length].checked = true; // several N/A reasons share a key: it goes round
    this.#changed(question);
    this.goOn();
  }

  // The keys that answer, each once, with the words of what they answer.
  answerKeys() {
    const found = new Map();
    for (const radio of radiosOf(this.element)) {
      const { key } = radio.dataset;
      const words = /^\d$/.test(key) ? `Answer ${key}` : $(".option__label", radio.parentElement).textContent.trim();
      if (!found.has(key)) found.set(key, radio.value.startsWith("na:") ? "N/A" : words);
    }
    return [...found];
  }

  #changed(question) {
    const given = this.answers;
    const kept = permitted(this.rules, given);
    for (const item of this.questions) this.fault(item.dataset.question, "");
    for (const key of Object.keys(given)) {
      if (kept[key] === undefined) this.fault(key, "Cleared: not possible beside the new answer above.");
    }
    this.show(kept);
    this.#focusOn(question);
    this.dispatchEvent(new CustomEvent("changed", { detail: kept }));
  }

  #questionOf(key) {
    return this.questions.find((question) => question.dataset.question === key);
  }

  #firstOpen() {
    const [key] = missing(this.rules, this.answers);
    return key ? this.#questionOf(key) : null;
  }

  #focusOn(question) {
    this.current = question;
    for (const item of this.questions) item.classList.toggle("is-current", item === question);
  }
}

function radiosOf(part) {
  return $$("input[type=radio]", part);
}
