// What a reviewer's page says of saving: one line in the bar, and an alert that stays until something is saved.

const $ = (selector) => document.querySelector(selector);

// Refusals after which this page has nothing left to answer; what is there now is shown by loading it again.
export const LEADS_AWAY = ["ended", "closed", "locked_otherwise"];

export function status(words, kind = "") {
  const place = $("[data-status]");
  place.textContent = words;
  place.className = `review-bar__status ${kind}`;
}

export function alertWith(words, link = null) {
  const place = $("[data-alert]");
  place.replaceChildren(words, ...(link ? [" ", link] : []));
  place.hidden = false;
}

export function loginNeeded() {
  status("Not saved yet", "is-waiting");
  const link = document.createElement("a");
  link.href = `/login/?next=${encodeURIComponent(location.pathname)}`;
  link.textContent = "Log in again";
  alertWith("Your session has ended. Your answers are kept in this browser and are sent once you are back.", link);
}

// Say how far the saving of a draft is; what was replaced or refused is the page's own to show.
export function tellOfSaving(draft) {
  draft.addEventListener("waiting", () => status("Saving …"));
  draft.addEventListener("offline", () => status("No connection; kept here", "is-waiting"));
  draft.addEventListener("login", loginNeeded);
  draft.addEventListener("saved", () => {
    status("Saved", "is-saved");
    $("[data-alert]").hidden = true;
  });
  draft.addEventListener("replaced", (event) => {
    status("Saved", "is-saved");
    alertWith(event.detail.message);
  });
}
