// Buttons that copy the text beside them. A browser that cannot copy shows no button.

const text = document.querySelector("[data-copied]");
const button = document.querySelector("[data-copy]");
const words = document.querySelector("[data-copy-words]");

if (navigator.clipboard) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      words.textContent = "Copied.";
    } catch {
      words.textContent = "The browser did not allow copying. Select the code and copy it yourself.";
    }
  });
}
