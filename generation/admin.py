"""Records of what was commissioned and what came back."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from fartbench.admin import ModelAdmin, ViewOnly
from generation.models import Cell, Clip, Configuration, Family, Sample


@admin.register(Family)
class FamilyAdmin(ModelAdmin):
    list_display = ("name", "label")


@admin.register(Configuration)
class ConfigurationAdmin(ModelAdmin):
    """A provisional configuration can be described here; one that is described is what results stand for, and stays."""

    list_display = ("name", "label", "family", "provider", "model_id", "track", "provisional")
    list_select_related = ("family",)
    list_filter = ("provider", "track", "provisional")
    search_fields = ("name", "label")
    readonly_fields = ("name", "created_at")

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Configuration | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or obj.provisional)

    def has_delete_permission(self, _request: HttpRequest, _obj: Configuration | None = None) -> bool:
        return False


@admin.register(Cell)
class CellAdmin(ViewOnly):
    list_display = ("round", "configuration", "scene", "replicate")
    list_select_related = ("round", "configuration")
    list_filter = ("round",)
    search_fields = ("configuration__name",)


@admin.register(Sample)
class SampleAdmin(ViewOnly):
    # The ground truth of a local clip stays out: it is what reviewers are asked about.
    list_display = ("cell", "state", "reason", "cost_usd", "model_version", "generated_at")
    list_select_related = ("cell__configuration", "cell__round")
    list_filter = ("state", "cell__round")
    search_fields = ("cell__configuration__name",)
    fields = (*list_display, "clip", "generation_seed", "frozen_at")


@admin.register(Clip)
class ClipAdmin(ViewOnly):
    list_display = ("sha256", "size", "stored_at")
    search_fields = ("sha256",)
