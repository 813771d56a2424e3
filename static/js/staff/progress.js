// Keeps the bars of a round's page up to date, and says when the page itself is out of date.

const EVERY_MS = 3000;
const page = document.querySelector("[data-progress-url]");

function show(bars) {
  for (const bar of document.querySelectorAll("[data-bar]")) {
    const [done, total] = bars[bar.dataset.bar] ?? [];
    if (total === undefined) continue;
    const progress = bar.querySelector("progress");
    progress.max = total;
    progress.value = done;
    bar.querySelector("[data-bar-text]").textContent = `${done} of ${total}`;
  }
}

async function look() {
  if (document.hidden) return;
  const response = await fetch(page.dataset.progressUrl, { headers: { Accept: "application/json" } });
  if (!response.ok || response.redirected) return;
  const { stamp, bars } = await response.json();
  show(bars);
  if (stamp !== page.dataset.stamp) page.querySelector("[data-outdated]").hidden = false;
}

if (page) {
  setInterval(() => {
    look().catch(() => {
      // The server is away for a moment; the next look will tell.
    });
  }, EVERY_MS);
}
