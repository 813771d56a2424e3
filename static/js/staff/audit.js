// Keys of the page that audits a prompt: y and x answer the next question, Backspace takes an answer back, Enter stores
// the audit, n and p show the next and the previous prompt.

const form = document.querySelector("[data-audit]");
const questions = [...(form?.querySelectorAll(".audit-question") ?? [])];

function answerOf(question) {
  return question.querySelector("input:checked");
}

function answerNext(value) {
  const question = questions.find((one) => !answerOf(one));
  const answer = question?.querySelector(`input[value="${value}"]`);
  if (!answer) return;
  answer.checked = true;
  answer.focus(); // brings the question into view, so that it is read before it is answered
}

function takeBack() {
  const answered = questions.filter(answerOf);
  const last = answered.at(-1);
  if (last) answerOf(last).checked = false;
}

const actions = {
  y: () => answerNext("yes"),
  x: () => answerNext("no"),
  Backspace: takeBack,
  Enter: () => form?.requestSubmit(form.querySelector("[value=audit]")),
  n: () => document.querySelector('a[rel="next"]')?.click(),
  p: () => document.querySelector('a[rel="prev"]')?.click(),
};

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.ctrlKey || event.isComposing || event.repeat) return;
  if (event.target.matches("a, button, summary, textarea, input:not([type=radio])")) return;
  const action = actions[event.key];
  if (!action || (event.key === "Enter" && !questions.every(answerOf))) return;
  event.preventDefault();
  action();
});
