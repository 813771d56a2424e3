"""Records of what was commissioned and what came back."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from fartbench.admin import ModelAdmin, ViewOnly
from generation.models import (
    Ceiling,
    Cell,
    Clip,
    Configuration,
    Family,
    Prompt,
    PromptAudit,
    ProviderAccount,
    RawView,
    Sample,
    SampleEvent,
    Submission,
)


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


@admin.register(Prompt)
class PromptAdmin(ViewOnly):
    list_display = ("configuration", "protocol", "scene", "pilot_version", "sha256", "frozen_at", "frozen_by")
    list_select_related = ("configuration", "protocol")
    list_filter = ("protocol", "scene", "pilot_version")
    search_fields = ("configuration__name", "sha256")
    fields = (*list_display, "adapter", "adapter_version", "sources", "specification_digest", "text", "rendered_at")


@admin.register(PromptAudit)
class PromptAuditAdmin(ViewOnly):
    list_display = ("sha256", "auditor", "at", "note")
    search_fields = ("sha256", "auditor")
    fields = (*list_display, "specification_digest", "answers")


@admin.register(Submission)
class SubmissionAdmin(ViewOnly):
    list_display = ("sample", "number", "provider", "state", "answer_class", "http_status", "started_at", "latency_ms")
    list_select_related = ("sample__cell__configuration", "sample__cell__round")
    list_filter = ("provider", "state", "answer_class")
    search_fields = ("provider_id", "sample__cell__configuration__name")
    # A local provider's answer tells what is in the clip: that is what reviewers are asked about.
    exclude = ("handle", "response")


@admin.register(SampleEvent)
class SampleEventAdmin(ViewOnly):
    list_display = ("sample", "at", "actor", "before", "after", "words")
    list_select_related = ("sample__cell__configuration", "sample__cell__round")
    list_filter = ("after",)


@admin.register(RawView)
class RawViewAdmin(ViewOnly):
    list_display = ("sample", "viewer", "at")
    list_select_related = ("sample__cell__configuration", "sample__cell__round")
    search_fields = ("viewer",)


@admin.register(ProviderAccount)
class ProviderAccountAdmin(ViewOnly):
    list_display = ("provider", "max_in_flight", "min_interval_s", "cooldown_until", "paused")


@admin.register(Ceiling)
class CeilingAdmin(ViewOnly):
    list_display = ("commissioning", "provider", "usd")
    list_select_related = ("commissioning__round",)
