// Plays the videos of one group together: whichever is started leads, the others follow, muted.

const FAR_APART_S = 0.1;

function follow(leader, others) {
  for (const other of others) {
    other.muted = true;
    if (Math.abs(other.currentTime - leader.currentTime) > FAR_APART_S) {
      other.currentTime = leader.currentTime;
    }
  }
}

function link(group) {
  const box = group.querySelector("[data-together-on]");
  const videos = [...group.querySelectorAll("video")];
  let leader = null;
  const others = () => videos.filter((video) => video !== leader);
  group.addEventListener("play", ({ target }) => {
    if (!box.checked || (leader && leader !== target && !leader.paused)) return;
    leader = target;
    leader.muted = false;
    follow(leader, others());
    // A video that cannot play stays where it is; the others go on.
    for (const other of others()) other.play().catch(() => undefined);
  }, true);
  group.addEventListener("pause", ({ target }) => {
    if (box.checked && target === leader) for (const other of others()) other.pause();
  }, true);
  group.addEventListener("seeking", ({ target }) => {
    if (box.checked && target === leader) follow(leader, others());
  }, true);
}

for (const group of document.querySelectorAll("[data-together]")) link(group);
