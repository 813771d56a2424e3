// The form of a clip: what may be answered now, what an answer clears, and the question that keys answer. It knows of
// no server: a page listens to "changed" and decides what becomes of the answers.
//
// A question is a set of radio buttons, a number that is typed (perhaps beside an N/A button), or a flag: one box that
// is ticked or not. What does not apply in this scene is answered by the rules and not shown as a question.

import { contradictions, mayStand, missing, openStage, permitted, takesValue, written } from "./rules.js";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

export class AnswerForm extends EventTarget {
  // `isOpen` says whether the questions may be answered at all, `hasImpression` whether a first impression, if one is
  // asked for, is kept; `done` is the text when nothing is missing, `left` the text when something is.
  constructor(element, rules, { isOpen, done, left = countLeft, hasImpression = () => true }) {
    super();
    this.element = element;
    this.rules = rules;
    this.isOpen = isOpen;
    this.hasImpression = hasImpression;
    this.done = done;
    this.left = left;
    this.questions = $$("[data-question]", element);
    this.current = null;
    this.before = []; // earlier answers, for undo
    this.shown = {};
    element.addEventListener("change", (event) => {
      const question = event.target.closest("[data-question]");
      if (question) this.#changed(question, event.target);
    });
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("[data-number]")) return;
      event.preventDefault(); // the browser would send the form, and not while its button is disabled
      this.#changed(event.target.closest("[data-question]"), event.target);
      this.goOn();
    });
    element.addEventListener("focusin", (event) => {
      const question = event.target.closest("[data-question]");
      if (question) this.#focusOn(question);
    });
  }

  // The answers that are given, by question.
  get answers() {
    const given = this.questions.map((question) => [question.dataset.question, this.#answerOf(question)]);
    return { ...this.rules.settled, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  }

  // Whether everything that a first impression asks is answered, and it waits to be kept.
  get awaitsImpression() {
    const { answers, rules } = this;
    return this.isOpen() && !this.hasImpression() && rules.firstImpression.every((key) => answers[key] !== undefined);
  }

  show(answers) {
    for (const question of this.questions) {
      const answer = answers[question.dataset.question];
      for (const radio of radiosOf(question)) radio.checked = radio.value === answer;
      const number = numberOf(question);
      if (number) number.value = answer === undefined || answer.startsWith("na:") ? "" : answer;
      const flag = flagOf(question);
      if (flag) flag.checked = answer === "yes";
    }
    this.shown = this.answers;
    this.refresh();
  }

  // Take back the last change. A first impression that is kept stays as it is.
  undo() {
    const earlier = this.before.pop();
    if (!earlier) return;
    this.show(permitted(this.rules, { ...earlier, ...this.#kept() }));
    this.goOn();
    this.dispatchEvent(new CustomEvent("changed", { detail: this.answers }));
  }

  // Open what may be answered now: the stage that is due, and each N/A exactly where the rules permit it.
  refresh() {
    const { answers, rules } = this;
    const stage = this.#openStage(answers);
    for (const part of $$("[data-stage]", this.element)) {
      const isKept = "firstImpression" in part.dataset && this.hasImpression();
      part.disabled = Number(part.dataset.stage) > stage || isKept;
    }
    for (const question of this.questions) {
      for (const radio of radiosOf(question)) {
        const isOffered = mayStand(rules, question.dataset.question, radio.value, answers);
        radio.disabled = !isOffered;
        radio.closest(".option").classList.toggle("is-closed", !isOffered);
      }
      const number = numberOf(question);
      if (number) number.disabled = !takesValue(rules, question.dataset.question, answers);
    }
    const left = missing(rules, answers);
    const broken = contradictions(rules, answers);
    for (const { question, text } of broken) this.fault(question, `Does not fit: ${text}.`);
    $("[data-lock]").disabled = !this.isOpen() || !this.hasImpression() || left.length > 0 || broken.length > 0;
    const open = left.filter((key) => !flagOf(this.#questionOf(key))); // a flag that is not ticked is answered too
    const done = broken.length === 0 ? this.done : "Two answers contradict each other";
    $("[data-missing]").textContent = open.length === 0 ? done : this.left(open.length, this.#asked);
    const keep = $("[data-keep-impression]", this.element);
    if (keep) keep.hidden = !this.awaitsImpression;
  }

  fault(key, words) {
    const question = this.#questionOf(key);
    if (!question) return;
    $("[data-fault]", question).textContent = words;
    question.classList.toggle("has-fault", words !== "");
  }

  // Move the focus to the next open question, or to the button when there is none.
  goOn() {
    if (this.awaitsImpression) return $("[data-keep]", this.element).focus();
    const question = this.#firstOpen();
    this.#focusOn(question);
    if (question === null) return this.#end.focus();
    const number = numberOf(question);
    (number && !number.disabled ? number : (radiosOf(question).find((radio) => !radio.disabled) ?? question)).focus();
  }

  answerByKey(key) {
    const question = this.current ?? this.#firstOpen() ?? (this.questions.length === 1 ? this.questions[0] : null);
    if (!this.isOpen()) return this.dispatchEvent(new Event("early"));
    const offered = question && !isClosed(question) ? radiosOf(question).filter((radio) => !radio.disabled && radio.dataset.key === key) : [];
    if (offered.length === 0) return this.#tickByKey(key);
    const place = offered.findIndex((radio) => radio.checked);
    const chosen = offered[(place + 1) % offered.length]; // several N/A reasons share a key: each press takes the next
    chosen.checked = true;
    this.#changed(question, chosen);
    this.goOn();
  }

  // Let every question be sent with a plain form: a browser leaves out what is disabled.
  enable() {
    for (const part of $$("[data-stage]", this.element)) part.disabled = false;
  }

  // The keys that answer, each once, with the words of what they answer.
  answerKeys() {
    const found = new Map();
    for (const button of $$("input[type=radio], input[type=checkbox][data-key]", this.element)) {
      const { key } = button.dataset;
      const words = /^\d$/.test(key) ? `Answer ${key}` : $(".option__label", button.parentElement).textContent.trim();
      if (key && !found.has(key)) found.set(key, button.value.startsWith("na:") ? "N/A" : words);
    }
    return [...found];
  }

  // Write a time into a question as its nearest step, as if it had been typed.
  takeTime(question, seconds) {
    const { min, max, step } = numberOf(question);
    const nearest = Math.round(seconds / Number(step)) * Number(step);
    this.type(question, String(Number(Math.min(Math.max(nearest, Number(min)), Number(max)).toFixed(3))));
  }

  // Write a number into a question, as if it had been typed.
  type(question, value) {
    const number = numberOf(question);
    number.value = value;
    this.#changed(question, number);
  }

  get #asked() {
    return this.questions.filter((question) => !flagOf(question)).length;
  }

  #openStage(answers) {
    if (!this.isOpen()) return 0;
    const stage = openStage(this.rules, answers);
    return this.hasImpression() ? stage : Math.min(stage, this.rules.questions[0].stage);
  }

  #answerOf(question) {
    const flag = flagOf(question);
    if (flag) return flag.checked ? "yes" : this.isOpen() && this.hasImpression() ? "no" : undefined;
    const chosen = $("input[type=radio]:checked", question)?.value;
    const typed = numberOf(question)?.value;
    return chosen ?? (typed ? written(this.rules, question.dataset.question, typed) : undefined);
  }

  #changed(question, input) {
    const typed = numberOf(question);
    if (typed === input) for (const radio of radiosOf(question)) radio.checked = false;
    else if (typed) typed.value = "";
    const given = this.answers;
    const kept = permitted(this.rules, given);
    const own = question.dataset.question;
    const cleared = Object.keys(given).filter((key) => kept[key] === undefined && key !== own);
    for (const item of this.questions) this.fault(item.dataset.question, "");
    if (kept[own] === undefined && typed === input && given[own] !== undefined)
      this.fault(own, `A number from ${typed.min} to ${typed.max}, in steps of ${typed.step}.`);
    else if (cleared.length > 0) this.fault(own, `Cleared ${this.#listed(cleared)}: not possible beside this answer.`);
    this.before.push(this.shown);
    this.show(kept);
    this.#focusOn(question);
    this.dispatchEvent(new CustomEvent("changed", { detail: kept }));
  }

  #tickByKey(key) {
    const flag = $$("input[type=checkbox][data-key]", this.element).find((box) => box.dataset.key === key);
    if (!flag || isClosed(flag)) return;
    flag.checked = !flag.checked;
    this.#changed(flag.closest("[data-question]"), flag);
  }

  // The place that has the focus when nothing is left to answer: no key presses a button there.
  get #end() {
    return $("[data-ending]", this.element) ?? $("[data-lock]", this.element);
  }

  // The answers of a first impression that is kept.
  #kept() {
    if (!this.hasImpression()) return {};
    const { answers } = this;
    const given = this.rules.firstImpression.filter((key) => answers[key] !== undefined);
    return Object.fromEntries(given.map((key) => [key, answers[key]]));
  }

  // Questions by their numbers on the page.
  #listed(keys) {
    const numbers = keys.map((key) => $(".question__number", this.#questionOf(key))?.textContent).filter(Boolean);
    return numbers.length === 1 ? `answer ${numbers[0]}` : `${keys.length} answers`;
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

function countLeft(open, asked) {
  return `${open} of ${asked} still open`;
}

function radiosOf(part) {
  return $$("input[type=radio]", part);
}

function numberOf(question) {
  return $("[data-number]", question);
}

function flagOf(question) {
  return $("input[type=checkbox]", question);
}

function isClosed(part) {
  return part.closest("[data-stage]").disabled;
}
