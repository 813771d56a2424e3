"""Records of blinding: stimuli by their opaque ids.

Blind copies and keys say whose a clip is and are not shown.
"""

from __future__ import annotations

from django.contrib import admin

from blinding.models import Stimulus
from fartbench.admin import ViewOnly


@admin.register(Stimulus)
class StimulusAdmin(ViewOnly):
    # Facts such as the exact duration could be compared with those of raw clips, so they stay out.
    list_display = ("id", "round", "scene", "size")
    list_select_related = ("round",)
    list_filter = ("round",)
    search_fields = ("id",)
    fields = list_display
