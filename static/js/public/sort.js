// Makes the columns of a table sortable. Without this script the table keeps the order of its ranks.

const compare = {
  number: (a, b) => a - b,
  text: (a, b) => a.localeCompare(b),
};

function valueOf(row, column, kind) {
  const text = row.children[column].dataset.value ?? "";
  return kind === "text" || text === "" ? text : Number(text);
}

// The last row of a head names the columns; one above it may name groups of them.
function headings(table) {
  return [...table.tHead.rows].at(-1).cells;
}

function sort(table, heading, column, place) {
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  const kind = heading.dataset.sort;
  for (const other of headings(table)) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  for (const body of table.tBodies) {
    const rows = [...body.querySelectorAll("tr[data-row]")];
    rows.sort((a, b) => {
      const [one, other] = [valueOf(a, column, kind), valueOf(b, column, kind)];
      // A row without a value comes last, whichever way the others go.
      const empty = (one === "") - (other === "");
      const order = one === "" || other === "" ? 0 : compare[kind](one, other);
      return empty || (ascending ? order : -order) || place.get(a) - place.get(b);
    });
    body.append(...rows);
  }
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  // Equal rows keep the order that the page came with.
  const place = new Map([...table.querySelectorAll("tr[data-row]")].map((row, index) => [row, index]));
  [...headings(table)].forEach((heading, column) => {
    if (!heading.dataset.sort) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(table, heading, column, place));
    heading.append(button);
  });
}
