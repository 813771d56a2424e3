"""The pages and calls of reviewers."""

from review.views.changes import draft, later, lock, mistake, unplayable
from review.views.entrance import come_back, invite, way_back
from review.views.media import media, training_media
from review.views.pairs import pair, pair_draft, pair_lock, pair_unplayable
from review.views.queue import done, home
from review.views.sheet import sheet
from review.views.start import sound_check, start, tones_file
from review.views.training import training

__all__ = [
    "come_back",
    "done",
    "draft",
    "home",
    "invite",
    "later",
    "lock",
    "media",
    "mistake",
    "pair",
    "pair_draft",
    "pair_lock",
    "pair_unplayable",
    "sheet",
    "sound_check",
    "start",
    "tones_file",
    "training",
    "training_media",
    "unplayable",
    "way_back",
]
