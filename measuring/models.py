"""Rows that machines make: what a tool measured of a rollout, what was heard in a clip and what
people say of it.

Their tables have the prefix of `scoring`, whose migrations make them.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class MeasurementRow(models.Model):
    """What a tool measured of one rollout, of one unit of it or of the whole. Never changed; a
    later run adds rows.

    Of each rollout and job the newest run is the one that counts.
    """

    sample = models.ForeignKey(
        "generation.Sample", on_delete=models.PROTECT, related_name="measurements"
    )
    job = models.CharField(max_length=40, help_text="signals, or the key of a plug-in.")
    run = models.PositiveSmallIntegerField(
        help_text="Counts how often this job measured this rollout, from 1."
    )
    metric = models.CharField(max_length=20)
    unit = models.CharField(max_length=20)
    place = models.CharField(
        max_length=20, blank=True, help_text="Which unit; empty for the whole rollout."
    )
    value = models.FloatField(null=True)
    value_unit = models.CharField(max_length=20)
    status = models.CharField(max_length=20)
    reason = models.TextField(blank=True)
    tool = models.CharField(max_length=40)
    version = models.CharField(max_length=80)
    evidence = models.JSONField(default=dict)
    measured_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "scoring"
        verbose_name = "measurement"
        constraints = (
            models.UniqueConstraint(
                fields=("sample", "job", "run", "metric", "unit", "place"),
                name="a_run_measures_a_unit_once",
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
    """What a machine heard in a stimulus: candidates for people to look at after the lock.

    No score is made of it.
    """

    stimulus = models.OneToOneField("blinding.Stimulus", on_delete=models.PROTECT, related_name="+")
    version = models.CharField(max_length=20, help_text="Of what listened.")
    found = models.JSONField(
        help_text="Loudness, silence and candidates, as measuring.sound.listening says."
    )
    heard_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "scoring"

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
        app_label = "scoring"
        constraints = (
            models.UniqueConstraint(
                fields=("sound", "place", "by"), name="a_person_judges_a_candidate_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.by} on candidate {self.place + 1} of {self.sound}"
