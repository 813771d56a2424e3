"""What is commissioned and what came back: configurations, cells, samples and raw clips."""

from __future__ import annotations

from pathlib import Path

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from fartbench.models import Round
from fartbench.storage import raw_clips
from generation.manifest import NAME_PATTERN, NAME_RULE

name_validator = RegexValidator(NAME_PATTERN, NAME_RULE)


class Family(models.Model):
    """A line of models by one maker. Results belong to configurations, never to a family."""

    name = models.CharField(max_length=80, unique=True, validators=[name_validator])
    label = models.CharField(max_length=120)

    class Meta:
        verbose_name_plural = "families"

    def __str__(self) -> str:
        return self.label


class Configuration(models.Model):
    """A tested variant of a family: model, route, parameters and preprocessing together."""

    name = models.CharField(max_length=80, unique=True, validators=[name_validator])
    label = models.CharField(max_length=120)
    family = models.ForeignKey(Family, on_delete=models.PROTECT, related_name="configurations", null=True, blank=True)
    provider = models.CharField(max_length=40, default="imported")
    model_id = models.CharField(max_length=120, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    track = models.CharField(max_length=40, default="core-av")
    provisional = models.BooleanField(
        default=False, help_text="Made by an import from a name alone; an admin has yet to describe it."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.label


class Cell(models.Model):
    """One place of a round to be filled: configuration x scene x replicate."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="cells")
    configuration = models.ForeignKey(Configuration, on_delete=models.PROTECT, related_name="cells")
    scene = models.CharField(max_length=40)
    replicate = models.PositiveSmallIntegerField(default=1)

    class Meta:
        ordering = ("configuration__name", "scene", "replicate")
        constraints = (
            models.UniqueConstraint(fields=("round", "configuration", "scene", "replicate"), name="a_cell_exists_once"),
            models.CheckConstraint(condition=Q(replicate__gte=1), name="replicates_count_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.configuration.name}/{self.scene}/{self.replicate}"


class Clip(models.Model):
    """A raw artifact, stored untouched under its own SHA-256. Never changes."""

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    facts = models.JSONField(help_text="What probing found: duration, picture, frame rate, codecs, sound.")
    stored_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]

    @property
    def path(self) -> Path:
        """The stored file."""
        return raw_clips().path(self.sha256)


class SampleState(models.TextChoices):
    """Where the work on a sample stands; the last five are outcomes, and what has one is never asked for again."""

    PLANNED = "planned", "Not generated yet"
    DELIVERED = "delivered", "Delivered"
    REFUSED = "refused", "Refused"
    FAILED = "failed", "Failed"
    LOST = "lost", "Artifact lost"
    NOT_GENERATED = "not_generated", "Not generated"

    @classmethod
    def outcomes(cls) -> tuple[SampleState, ...]:
        """The states in which a cell's result is known."""
        return (cls.DELIVERED, *cls.without_clip())

    @classmethod
    def without_clip(cls) -> tuple[SampleState, ...]:
        """The outcomes that brought no clip; each has a reason."""
        return (cls.REFUSED, cls.FAILED, cls.LOST, cls.NOT_GENERATED)


class Sample(models.Model):
    """The one result of a cell that counts."""

    cell = models.OneToOneField(Cell, on_delete=models.PROTECT, related_name="sample")
    state = models.CharField(max_length=16, choices=SampleState.choices, default=SampleState.PLANNED)
    clip = models.ForeignKey(Clip, on_delete=models.PROTECT, null=True, blank=True, related_name="samples")
    reason = models.TextField(blank=True, help_text="Why it was refused, failed or lost.")
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    generation_seed = models.CharField(max_length=80, blank=True)
    model_version = models.CharField(max_length=120, blank=True, help_text="As the provider returned it.")
    generated_at = models.DateTimeField(null=True, blank=True)
    truth = models.JSONField(null=True, blank=True, help_text="Known ground truth of a local clip, else empty.")
    frozen_at = models.DateTimeField(
        null=True, editable=False, help_text="When its blind copy was made; from then on it stays as it is."
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(state="delivered", clip__isnull=False) | (~Q(state="delivered") & Q(clip__isnull=True)),
                name="a_delivered_sample_and_no_other_has_a_clip",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("refused", "failed", "lost", "not_generated")) | ~Q(reason=""),
                name="an_outcome_without_a_clip_has_a_reason",
            ),
        )

    def __str__(self) -> str:
        return f"{self.cell}: {self.get_state_display()}"

    @property
    def has_outcome(self) -> bool:
        """Say whether the cell's result is known."""
        return self.state in SampleState.outcomes()
