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
    scores = models.JSONField(help_text="The scores document, as “manage.py score --json” prints it, with its clips.")
    digest = models.CharField(max_length=64, help_text="Of the release: SHA-256 over its manifest, which hashes all.")
    manifest = models.JSONField(default=dict, help_text="What manifest.json says: hashes, versions, seeds, audit head.")
    demonstration = models.BooleanField(default=False, help_text="It holds simulated answers.")
    replaces = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_by")
    correction_reason = models.TextField(blank=True, help_text="Why it replaces another one.")

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(fields=("round", "number"), name="a_release_number_is_used_once"),
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
        """Return one of its documents (see `scoring.release.pages`), or None when it has none of that name."""
        return self.documents.filter(name=name).values_list("content", flat=True).first()


class ReleaseDocument(models.Model):
    """A part of a release as a page reads it, so that nothing is computed, and nothing large loaded, for a visitor."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="documents")
    name = models.CharField(max_length=120)
    content = models.JSONField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("release", "name"), name="a_release_has_a_document_once"),)

    def __str__(self) -> str:
        return f"{self.release}: {self.name}"


class MeasurementRow(models.Model):
    """What a tool measured of one rollout, of one unit of it or of the whole. Never changed; a later run adds rows.

    Of each rollout and job the newest run is the one that counts.
    """

    sample = models.ForeignKey("generation.Sample", on_delete=models.PROTECT, related_name="measurements")
    job = models.CharField(max_length=40, help_text="signals, or the key of a plug-in.")
    run = models.PositiveSmallIntegerField(help_text="Counts how often this job measured this rollout, from 1.")
    metric = models.CharField(max_length=20)
    unit = models.CharField(max_length=20)
    place = models.CharField(max_length=20, blank=True, help_text="Which unit; empty for the whole rollout.")
    value = models.FloatField(null=True)
    value_unit = models.CharField(max_length=20)
    status = models.CharField(max_length=20)
    reason = models.TextField(blank=True)
    tool = models.CharField(max_length=40)
    version = models.CharField(max_length=80)
    evidence = models.JSONField(default=dict)
    measured_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "measurement"
        constraints = (
            models.UniqueConstraint(
                fields=("sample", "job", "run", "metric", "unit", "place"), name="a_run_measures_a_unit_once"
            ),
            models.CheckConstraint(
                condition=Q(status="computed", value__isnull=False, reason="")
                | (~Q(status="computed") & Q(value__isnull=True) & ~Q(reason="")),
                name="a_value_or_the_reason_why_there_is_none",
            ),
        )

    def __str__(self) -> str:
        return f"{self.metric} {self.place} of {self.sample_id}"


class SoundCheck(models.Model):
    """What a machine heard in a stimulus: candidates for people to look at after the lock. No score is made of it."""

    stimulus = models.OneToOneField("blinding.Stimulus", on_delete=models.PROTECT, related_name="+")
    version = models.CharField(max_length=20, help_text="Of what listened.")
    found = models.JSONField(help_text="Loudness, silence and candidates, as scoring.sound.listening says.")
    heard_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"sound of {self.stimulus_id}"


class CandidateVerdict(models.Model):
    """What one person says of one candidate."""

    sound = models.ForeignKey(SoundCheck, on_delete=models.PROTECT, related_name="verdicts")
    place = models.PositiveSmallIntegerField(help_text="Which candidate, from 0.")
    by = models.CharField(max_length=150, help_text="A reviewer's code, or a staff account.")
    is_event = models.BooleanField()
    said_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("sound", "place", "by"), name="a_person_judges_a_candidate_once"),
        )

    def __str__(self) -> str:
        return f"{self.by} on candidate {self.place + 1} of {self.sound}"
