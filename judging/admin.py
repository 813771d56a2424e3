"""Frozen judges and accounts with their services.

What judges answered is no page's business before a release.
"""

from __future__ import annotations

from django.contrib import admin

from fartbench.admin import ViewOnly
from judging.models import Judge, JudgeAccount


@admin.register(Judge)
class JudgeAdmin(ViewOnly):
    list_display = ("round", "name", "variant", "digest", "frozen_at")
    list_select_related = ("round",)
    list_filter = ("variant",)
    fields = (*list_display, "content")


@admin.register(JudgeAccount)
class JudgeAccountAdmin(ViewOnly):
    list_display = (
        "service",
        "max_in_flight",
        "min_interval_s",
        "cooldown_until",
        "paused_because",
    )
