// This browser's own storage, for what may be lost without harm: a browser that has none behaves as if it were empty.

export function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

export function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function remove(name) {
  try {
    localStorage.removeItem(name);
    return true;
  } catch {
    return false;
  }
}
