"""Records of what was commissioned and what came back."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from fartbench import audit
from fartbench.admin import FilteredByItsList, ViewOnly
from generation.configuring import is_in_opened_round
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


class RecordedEdits(FilteredByItsList):
    """Records that can be edited until a round with them opens.

    Every edit is an entry with old and new values.
    """

    def is_settled(self, _obj: Any) -> bool:
        """Say whether what the record says is fixed."""
        raise NotImplementedError

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (
            obj is None or not self.is_settled(obj)
        )

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save what the form says, with its entry, in the transaction that Django opens for the
        page.
        """
        stored = self.model._base_manager.select_for_update().filter(pk=obj.pk).first()
        if stored is not None and self.is_settled(stored):
            raise PermissionDenied("A round with this record was opened a moment ago.")
        super().save_model(request, obj, form, change)
        what = str(self.opts.verbose_name)
        new = {name: plain_value(obj, name) for name in form.changed_data}
        if stored is None:
            audit.record(f"{what} added", actor=request.user.get_username(), name=obj.name, new=new)
            return
        old = {name: plain_value(stored, name) for name in form.changed_data}
        changed = [name for name in old if old[name] != new[name]]
        if changed:
            audit.record(
                f"{what} changed",
                actor=request.user.get_username(),
                name=stored.name,
                old={name: old[name] for name in changed},
                new={name: new[name] for name in changed},
            )


def plain_value(record: Any, name: str) -> Any:
    """Return the value of a field as JSON holds it; a related record by its name."""
    value = getattr(record, name)
    if isinstance(value, Family):
        return value.name
    return value


@admin.register(Family)
class FamilyAdmin(RecordedEdits):
    """Families: a release names the family of each configuration."""

    list_display = ("name", "label")

    def is_settled(self, obj: Family) -> bool:
        return is_in_opened_round(Cell.objects.filter(configuration__family=obj))


@admin.register(Configuration)
class ConfigurationAdmin(RecordedEdits):
    """A provisional configuration can be described here until a round with it opens; a described
    one stays.
    """

    list_display = ("name", "label", "family", "provider", "model_id", "track", "provisional")
    list_select_related = ("family",)
    list_filter = ("provider", "track", "provisional")
    search_fields = ("name", "label")
    readonly_fields = ("name", "created_at")

    def is_settled(self, obj: Configuration) -> bool:
        return not obj.provisional or is_in_opened_round(Cell.objects.filter(configuration=obj))

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False


@admin.register(Cell)
class CellAdmin(ViewOnly):
    list_display = ("round", "configuration", "scene", "replicate")
    list_select_related = ("round", "configuration")
    list_filter = ("round",)
    search_fields = ("configuration__name",)


@admin.register(Sample)
class SampleAdmin(ViewOnly):
    # The ground truth of a local clip stays out: it is what reviewers are asked about. So does its
    # seed: with that the clip can be drawn again and compared with blind copies.
    list_display = ("cell", "state", "reason", "cost_usd", "model_version", "generated_at")
    list_select_related = ("cell__configuration", "cell__round")
    list_filter = ("state", "cell__round")
    search_fields = ("cell__configuration__name",)
    fields = (*list_display, "clip", "frozen_at")


@admin.register(Clip)
class ClipAdmin(ViewOnly):
    list_display = ("sha256", "size", "stored_at")
    search_fields = ("sha256",)


@admin.register(Prompt)
class PromptAdmin(ViewOnly):
    list_display = (
        "configuration",
        "protocol",
        "scene",
        "pilot_version",
        "sha256",
        "frozen_at",
        "frozen_by",
    )
    list_select_related = ("configuration", "protocol")
    list_filter = ("protocol", "scene", "pilot_version")
    search_fields = ("configuration__name", "sha256")
    fields = (
        *list_display,
        "adapter",
        "adapter_version",
        "sources",
        "specification_digest",
        "text",
        "rendered_at",
    )


@admin.register(PromptAudit)
class PromptAuditAdmin(ViewOnly):
    list_display = ("sha256", "auditor", "at", "note")
    search_fields = ("sha256", "auditor")
    fields = (*list_display, "specification_digest", "answers")


@admin.register(Submission)
class SubmissionAdmin(ViewOnly):
    list_display = (
        "sample",
        "number",
        "provider",
        "state",
        "answer_class",
        "http_status",
        "started_at",
        "latency_ms",
    )
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
