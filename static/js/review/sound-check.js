// Notes the volume at which the tones were heard. The tones themselves are a file, so the check works without this.
const audio = document.querySelector("[data-audio]");
const volume = document.querySelector("[data-volume]");
if (audio && volume) {
  const note = () => (volume.value = audio.muted ? "0" : String(audio.volume));
  audio.addEventListener("volumechange", note);
  audio.addEventListener("play", note);
}
