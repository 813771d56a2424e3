"""A protocol of rollouts that is small enough for tests: two scenarios of four seconds, cut into
units of one.
"""

import shutil
from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
_ABOUT = """  theme: small
  title: "{title}"
  track: {track}
  duration_s: 4
  horizons_s: [2, 4]
  interval_s: 1
  scene_domain: farmland
  audio_domain: nature
  subject_category: animal
  visual_style: rendered_3d
  complexity: {{entity: single, activity: atomic, audio: single_source}}
  prompt: "A small landscape passes by, with a low hum."
  video_checklist: {{scene: "Is it a landscape?", visual_style: null, subjects: null, activity: "Does it pass by?"}}
  audio_checklist: {{sound_source: null, sound_content: "Is there a hum?", temporal_relation: null}}
"""
_UPDATES = """  updates:
    - id: P1
      at_s: 1
      type: entity_state_change
      modality: joint
      dependency: independent
      prompt: "A red disc comes. It beeps."
      visual: "A red disc comes."
      audio: "It beeps."
    - id: P2
      at_s: 2
      type: agent_action
      modality: video
      dependency: adjacent
      depends_on: P1
      prompt: "The disc turns blue."
      visual: "The disc turns blue."
"""
SCENARIOS = (
    "- key: small-p\n" + _ABOUT.format(title="A small landscape", track="progressive")
    + "- key: small-i\n" + _ABOUT.format(title="A small disc", track="interactive") + _UPDATES
)  # fmt: skip
_CHANGES = {
    "protocol.yaml": {
        "name: streamav\n": "name: small-streamav\n",
        "  duration_s: 180\n": "  duration_s: 4\n",
        "{width: 640, height: 360, frame_rate: 24/1, seconds: 180, video_bit_rate: 1500000":
            "{width: 160, height: 90, frame_rate: 24/1, seconds: 4, video_bit_rate: 200000",
    },
    "units.yaml": {"seconds: 30": "seconds: 1", "seconds: 2": "seconds: 0.5"},
}  # fmt: skip


def write_protocol(folder: Path) -> Path:
    """Write the small protocol to a new folder and return it."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "scenarios" / "small.yaml").write_text(SCENARIOS, encoding="utf-8")
    for name in ("forms.yaml", "metrics.yaml", "experts.yaml"):
        shutil.copyfile(FOLDER / name, folder / name)
    for name, changes in _CHANGES.items():
        (folder / name).write_text(_changed(FOLDER / name, changes), encoding="utf-8")
    return folder


def _changed(file: Path, changes: dict[str, str]) -> str:
    text = file.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{file.name} does not say {old!r} any more"
        text = text.replace(old, new)
    return text


_STAND_IN = Path(settings.BASE_DIR) / "fixtures" / "stand-ins" / "standin-stream.yaml"
STREAM = _changed(
    _STAND_IN, {"duration_s: 180.0": "duration_s: 4.0", "resolution: 360p": "resolution: 90p"}
)
