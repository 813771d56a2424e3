// Keys of an expert's page: one for each verdict, Enter to give it, n and p to go on and back.

const form = document.querySelector("[data-verdict]");
const words = form?.querySelector("textarea");
const opinions = [...(form?.querySelectorAll("[data-key]") ?? [])];

function chosen() {
  return opinions.find((opinion) => opinion.checked);
}

// An expert who does not accept says why.
function demand() {
  if (words) words.required = Boolean(chosen()) && chosen().value !== "accept";
}

function choose(opinion) {
  opinion.checked = true;
  demand();
  (opinion.value === "accept" ? opinion : words).focus();
}

form?.addEventListener("change", demand);
demand();

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.isComposing) return;
  if (event.target === words) {
    if (event.key === "Enter" && event.ctrlKey) form.requestSubmit();
    return;
  }
  if (event.ctrlKey) return;
  const opinion = opinions.find((one) => one.dataset.key === event.key);
  const rel = { n: "next", p: "prev" }[event.key];
  if (opinion) {
    event.preventDefault(); // or the letter would stand in the text that gets the focus
    choose(opinion);
  } else if (rel) {
    document.querySelector(`a[rel="${rel}"]`)?.click();
  }
});
