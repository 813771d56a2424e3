"""Releases: what was published, frozen and hashed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from fartbench.models import Round


class Release(models.Model):
    """A frozen result of a round. A correction is a new release that names the one it replaces."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()
    scores = models.JSONField(
        help_text="The scores document, as “manage.py score --json” prints it, with its clips."
    )
    digest = models.CharField(
        max_length=64, help_text="Of the release: SHA-256 over its manifest, which hashes all."
    )
    manifest = models.JSONField(
        default=dict, help_text="What manifest.json says: hashes, versions, seeds, audit head."
    )
    demonstration = models.BooleanField(
        default=False, help_text="It holds simulated clips or answers."
    )
    replaces = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_by"
    )
    correction_reason = models.TextField(blank=True, help_text="Why it replaces another one.")

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("round", "number"), name="a_release_number_is_used_once"
            ),
            models.CheckConstraint(
                condition=Q(replaces__isnull=True, correction_reason="")
                | (Q(replaces__isnull=False) & ~Q(correction_reason="")),
                name="a_correction_has_a_reason",
            ),
        )

    def __str__(self) -> str:
        return f"{self.round} release {self.number}"

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return Path(settings.DATA_DIR) / "releases" / self.round.name / str(self.number)

    def document(self, name: str) -> Any:
        """Return one of its documents (see `scoring.release.pages`), or None when it has none of
        that name.
        """
        return self.documents.filter(name=name).values_list("content", flat=True).first()


class ReleaseDocument(models.Model):
    """A part of a release as a page reads it, so that nothing is computed, and nothing large
    loaded, for a visitor.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="documents")
    name = models.CharField(max_length=120)
    content = models.JSONField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("release", "name"), name="a_release_has_a_document_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.release}: {self.name}"
