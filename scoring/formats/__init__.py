"""A round in the formats of other programs. No Django here."""

from collections.abc import Callable, Mapping
from pathlib import Path

from scoring.formats.label_studio import write_label_studio
from scoring.formats.long_form import write_long_form
from scoring.formats.p910 import write_p910
from scoring.records import RoundRecord
from scoring.release.battles import write_battles

WRITERS: Mapping[str, Callable[[Path, RoundRecord], None]] = {
    "label-studio": write_label_studio,
    "long": write_long_form,
    "p910": write_p910,
    "fastchat": write_battles,
}
