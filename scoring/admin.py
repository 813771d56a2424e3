"""Records of what was published."""

from __future__ import annotations

from django.contrib import admin

from fartbench.admin import ViewOnly
from scoring.models import Release


@admin.register(Release)
class ReleaseAdmin(ViewOnly):
    list_display = ("round", "number", "created_at", "demonstration", "digest")
    list_select_related = ("round",)
    list_filter = ("demonstration",)
