// The rules of a form, read from the protocol's own data: what may be answered, given what is answered so far.
// Pure: no page, no network. The server and its database apply the same rules; a test compares them on every
// combination.
//
// `rules` is {questions: [{key, stage}], allowed: [{question, answer, when: [question, value] | null}], settled: {question:
// answer}, firstImpression: [question], consistency: [{question, other, atLeast, text}]}, and `answers` maps a question to
// "yes", "4", "3.5" or "na:REASON".

// Whether one answer may stand beside the others.
export function mayStand(rules, question, answer, answers) {
  return rules.allowed.some(
    (rule) =>
      rule.question === question &&
      rule.answer === answer &&
      (rule.when === null || answers[rule.when[0]] === rule.when[1]),
  );
}

// The answers that are still allowed; what depended on a removed one is removed too. Conditions only look back.
export function permitted(rules, answers) {
  const kept = {};
  for (const { key } of rules.questions) {
    if (answers[key] !== undefined && mayStand(rules, key, answers[key], kept)) kept[key] = answers[key];
  }
  return kept;
}

// The questions without an answer that may stand, in order.
export function missing(rules, answers) {
  const kept = permitted(rules, answers);
  return rules.questions.filter(({ key }) => kept[key] === undefined).map(({ key }) => key);
}

// Whether any value of a question, and not only an N/A, may stand beside the others.
export function takesValue(rules, question, answers) {
  return rules.allowed.some(
    (rule) =>
      rule.question === question &&
      !isNa(rule.answer) &&
      (rule.when === null || answers[rule.when[0]] === rule.when[1]),
  );
}

// The rules between two answers that are broken: a number below that of another question, or below the one beside it.
export function contradictions(rules, answers) {
  return (rules.consistency ?? []).filter(({ question, other, atLeast }) => {
    const [number, beside] = [answers[question], answers[other]];
    if (number === undefined || beside === undefined || isNa(number) || isNa(beside)) return false;
    return Number(number) < (atLeast ?? Number(beside));
  });
}

function isNa(answer) {
  return answer.startsWith("na:");
}

// Whether the answers are complete, every one may stand, and none contradicts another.
export function isLockable(rules, answers) {
  const given = Object.keys(answers);
  const known = new Set(rules.questions.map(({ key }) => key));
  return (
    given.every((key) => known.has(key) && mayStand(rules, key, answers[key], answers)) &&
    rules.questions.every(({ key }) => answers[key] !== undefined) &&
    contradictions(rules, answers).length === 0
  );
}

// A typed number as the answer that has this value: "3.40" is "3.4". What is no answer stays as it was typed.
export function written(rules, question, typed) {
  const same = rules.allowed.find((rule) => rule.question === question && !rule.answer.startsWith("na:") && Number(rule.answer) === Number(typed));
  return same ? same.answer : typed;
}

// The highest stage that is open: a stage opens when every question of the earlier ones is answered.
export function openStage(rules, answers) {
  const open = rules.questions.find(({ key }) => answers[key] === undefined);
  return open ? open.stage : Math.max(...rules.questions.map(({ stage }) => stage));
}
