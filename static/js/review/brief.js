// On a narrow page the brief would push the questions below the screen: there it opens on a tap.

if (matchMedia("(max-width: 699.98px)").matches) document.querySelector("[data-brief]").open = false;
