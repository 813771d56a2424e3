"""Of several tracks the one is taken that Chromium plays when a page names the file."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from playwright.sync_api import Page

from fartbench.media.probe import probe
from tests.media.clips import ffmpeg

SOURCES = (
    "color=red:size=160x96:rate=10:duration=2",
    "color=blue:size=160x96:rate=10:duration=2",
    "sine=frequency=500:duration=2",
    "sine=frequency=2000:duration=2",
)
# Returns whether the picture is blue, and whether the sound is the higher of the two tones.
PLAY = """async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const video = document.createElement("video");
  video.src = URL.createObjectURL(new Blob([bytes]));
  document.body.append(video);
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 4096 });
  context.createMediaElementSource(video).connect(analyser);
  await context.resume();
  await video.play();
  const levels = new Float32Array(analyser.frequencyBinCount);
  const loudness = (hertz) => levels[Math.round(hertz * analyser.fftSize / context.sampleRate)];
  while (!video.ended) {
    analyser.getFloatFrequencyData(levels);
    if (Math.max(loudness(500), loudness(2000)) > -60) break;
    await new Promise(requestAnimationFrame);
  }
  const canvas = new OffscreenCanvas(1, 1).getContext("2d");
  canvas.drawImage(video, 0, 0, 1, 1);
  const [red, , blue] = canvas.getImageData(0, 0, 1, 1).data;
  await context.close();
  return [blue > red, loudness(2000) > loudness(500)];
}"""


def two_of_each(path: Path, default: int) -> None:
    """Write a clip with two pictures and two sounds, of each kind this one marked as default."""
    inputs = [argument for source in SOURCES for argument in ("-f", "lavfi", "-i", source)]
    maps = [argument for number in range(4) for argument in ("-map", str(number))]
    marks: list[str] = []
    for kind in "va":
        for number in range(2):
            marks += [f"-disposition:{kind}:{number}", "default" if number == default else "0"]
    coding = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus")
    ffmpeg(*inputs, *maps, *marks, *coding, path)


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.webm"])
@pytest.mark.parametrize("default", [0, 1])
def test_the_track_that_is_taken_is_the_one_that_chromium_plays(
    tmp_path: Path, page: Page, name: str, default: int
) -> None:
    path = tmp_path / name
    two_of_each(path, default)
    page.goto("about:blank")
    page.mouse.click(1, 1)  # a page may play sound once a person has touched it
    blue, high = page.evaluate(PLAY, b64encode(path.read_bytes()).decode())
    facts = probe(path)
    assert (facts.video_track, facts.audio_track) == (1 + blue, 1 + high)
    assert (facts.default_video_track == 1 + default) or name.endswith("mp4")
