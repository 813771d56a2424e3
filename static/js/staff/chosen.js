// The files that a person chose or dropped, each with its path inside the folder.

// Browsers give the entries of a folder in portions; an empty one is the last.
async function entriesOf(folder) {
  const reader = folder.createReader();
  const entries = [];
  for (;;) {
    const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return entries;
    entries.push(...portion);
  }
}

async function filesIn(entry, path) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: path + entry.name, file }];
  }
  const inside = [];
  for (const one of await entriesOf(entry)) inside.push(...(await filesIn(one, `${path}${entry.name}/`)));
  return inside;
}

export async function dropped(transfer) {
  // The list of items is empty after the first wait.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...transfer.files].map((file) => ({ path: file.name, file }));
  if (entries.length === 0) return plain;
  const files = [];
  for (const entry of entries) files.push(...(await filesIn(entry, "")));
  return files;
}

export function picked(input) {
  return [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

// Calls `take` with the files of every way to choose some inside `zone`.
export function onFiles(zone, take) {
  for (const input of zone.querySelectorAll("input[type=file]")) {
    const begin = () => {
      if (input.files.length > 0) take(picked(input));
    };
    input.addEventListener("change", begin);
    begin(); // they may have been chosen before this script had come
  }
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add("drop-zone--over");
    });
  }
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("drop-zone--over"));
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    take(await dropped(event.dataTransfer));
  });
}
