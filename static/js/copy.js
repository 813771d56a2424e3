// Buttons that copy the text of their card. A browser that cannot copy shows no button.

const words = document.querySelector("[data-copy-words]");

// The text that a button copies: the nearest one that is marked, in the smallest part of the page that has one.
function textOf(button) {
  let part = button.parentElement;
  while (!part.querySelector("[data-copied]")) part = part.parentElement;
  return part.querySelector("[data-copied]").textContent.trim();
}

async function copy(button) {
  const said = button.parentElement.querySelector("[data-copy-words]") ?? words;
  try {
    await navigator.clipboard.writeText(textOf(button));
    said.textContent = "Copied.";
  } catch {
    said.textContent = "The browser did not allow copying. Select the text and copy it yourself.";
  }
}

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}
