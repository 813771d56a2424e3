"""What is commissioned and what came back: cells, samples and raw clips."""

from __future__ import annotations

from pathlib import Path

from django.db import models
from django.db.models import Q

from fartbench.models import Round
from fartbench.stores import raw_clips
from generation.models.configurations import Configuration
from generation.models.prompts import Prompt


class Cell(models.Model):
    """One place of a round to be filled: configuration x scene x replicate."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="cells")
    configuration = models.ForeignKey(Configuration, on_delete=models.PROTECT, related_name="cells")
    scene = models.CharField(max_length=40)
    replicate = models.PositiveSmallIntegerField(default=1)
    limitation = models.TextField(
        blank=True,
        help_text="Why this cell cannot be compared with others, such as a provider's safety "
        "system.",
    )

    class Meta:
        ordering = ("configuration__name", "scene", "replicate")
        constraints = (
            models.UniqueConstraint(
                fields=("round", "configuration", "scene", "replicate"), name="a_cell_exists_once"
            ),
            models.CheckConstraint(condition=Q(replicate__gte=1), name="replicates_count_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.configuration.name}/{self.scene}/{self.replicate}"


class Clip(models.Model):
    """A raw artifact, stored untouched under its own SHA-256. Never changes."""

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    facts = models.JSONField(
        help_text="What probing found: duration, picture, frame rate, codecs, sound."
    )
    stored_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]

    @property
    def path(self) -> Path:
        """The stored file."""
        return raw_clips().path(self.sha256)


class SampleState(models.TextChoices):
    """The state of the work on a sample; the last five are outcomes, and what has one is never
    asked for again.
    """

    PLANNED = "planned", "Not generated yet"
    READY = "ready", "Ready to submit"
    QUEUED = "queued", "Next to submit"
    SUBMITTING = "submitting", "Submitting"
    UNCERTAIN = "uncertain", "Uncertain"
    LOST_UNCERTAIN = "lost_uncertain", "Uncertain for good"
    BLOCKED = "blocked", "Waits for an operator"
    ACCEPTED = "accepted", "Accepted"
    RUNNING = "running", "Being made"
    OUTPUT_READY = "output_ready", "Made, to be fetched"
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

    @classmethod
    def in_flight(cls) -> tuple[SampleState, ...]:
        """The states that take a place of the provider's account, from the moment money is set
        aside for them.
        """
        return (cls.QUEUED, cls.SUBMITTING, cls.UNCERTAIN, cls.ACCEPTED, cls.RUNNING)


class CostBasis(models.TextChoices):
    """How a cost is known. Bases are never mixed in one figure."""

    REPORTED = "reported", "Reported by the provider"
    COMPUTED = "computed", "Computed from reported usage and a listed rate"
    ESTIMATED = "estimated", "Estimated from a listed price"
    UNKNOWN = "unknown", "Unknown"


class Origin(models.TextChoices):
    """Where the result of a sample comes from. The last two come from no real model."""

    IMPORTED = "imported", "Brought in as a file"
    BOUGHT = "bought", "Bought from its provider"
    STAND_IN = "stand_in", "Bought from a stand-in"
    DRAWN = "drawn", "Drawn by the built-in renderer"

    @classmethod
    def simulated(cls) -> tuple[Origin, ...]:
        """The origins that pretend: what is derived from them says so."""
        return (cls.STAND_IN, cls.DRAWN)


class CountingSamples(models.Manager["Sample"]):
    """The samples that count: one per cell."""

    def get_queryset(self) -> models.QuerySet[Sample]:
        return super().get_queryset().filter(counts=True)


class Sample(models.Model):
    """The one result of a cell that counts, or an earlier one that has become development-only
    data.
    """

    cell = models.ForeignKey(Cell, on_delete=models.PROTECT, related_name="samples")
    counts = models.BooleanField(
        default=True, help_text="Off for what an earlier pilot version of the cell brought."
    )
    pilot_version = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(
        max_length=16, choices=SampleState.choices, default=SampleState.PLANNED
    )
    clip = models.ForeignKey(
        Clip, on_delete=models.PROTECT, null=True, blank=True, related_name="samples"
    )
    reason = models.TextField(
        blank=True, help_text="Why it was refused, failed or lost, or what it waits for."
    )
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    cost_basis = models.CharField(max_length=10, choices=CostBasis.choices, blank=True)
    estimate_usd = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        null=True,
        blank=True,
        help_text="Set aside before it was submitted.",
    )
    generation_seed = models.CharField(max_length=80, blank=True)
    origin = models.CharField(
        max_length=8,
        choices=Origin.choices,
        blank=True,
        help_text="Where its result comes from. Empty before it is asked for or brought in.",
    )
    model_version = models.CharField(
        max_length=120, blank=True, help_text="As the provider returned it."
    )
    returned = models.JSONField(
        default=dict,
        blank=True,
        help_text="What else came back: revised prompt, seed, candidates, usage.",
    )
    generated_at = models.DateTimeField(null=True, blank=True)
    truth = models.JSONField(
        null=True, blank=True, help_text="Known ground truth of a local clip, else empty."
    )
    frozen_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When its blind copy was made; from then on it stays as it is.",
    )
    provider = models.CharField(
        max_length=40, blank=True, help_text="Whose account it is submitted through."
    )
    prompt = models.ForeignKey(
        Prompt, on_delete=models.PROTECT, null=True, blank=True, related_name="samples"
    )
    turn = models.PositiveIntegerField(
        default=0, help_text="Counts its steps: a step of an earlier turn does nothing."
    )
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="When it may be submitted again."
    )
    accepted_at = models.DateTimeField(null=True, blank=True)

    objects = CountingSamples()
    every = models.Manager["Sample"]()

    class Meta:
        base_manager_name = "every"
        default_manager_name = "objects"
        constraints = (
            models.UniqueConstraint(
                fields=("cell",), condition=Q(counts=True), name="a_cell_has_one_sample_that_counts"
            ),
            models.UniqueConstraint(
                fields=("cell", "pilot_version"), name="a_pilot_version_has_one_sample"
            ),
            models.CheckConstraint(
                condition=Q(state="delivered", clip__isnull=False)
                | (~Q(state="delivered") & Q(clip__isnull=True)),
                name="a_delivered_sample_and_no_other_has_a_clip",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("refused", "failed", "lost", "not_generated"))
                | ~Q(reason=""),
                name="an_outcome_without_a_clip_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(cost_usd__isnull=True) | ~Q(cost_basis="unknown"),
                name="an_unknown_cost_is_no_figure",
            ),
        )
        # Not a partial index: SQLite cannot use one for a query with parameters. Finished rows lie
        # under states of their own, so that what is under way is found in the same few steps
        # however many they are.
        indexes = (
            models.Index(fields=("provider", "state", "not_before"), name="samples_under_way"),
        )

    def __str__(self) -> str:
        return f"{self.cell}: {self.get_state_display()}"

    @property
    def is_simulated(self) -> bool:
        """Say whether its result comes from no real model."""
        return self.origin in Origin.simulated()

    @property
    def has_outcome(self) -> bool:
        """Say whether the cell's result is known."""
        return self.state in SampleState.outcomes()

    @property
    def at_rest(self) -> bool:
        """Say whether its outcome may be set by hand: nothing is under way that could bring
        another.
        """
        return self.state in (SampleState.PLANNED, SampleState.READY, SampleState.BLOCKED)


class RawView(models.Model):
    """Somebody looked at a raw clip. Never changed, never deleted."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="views")
    viewer = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.sample_id} by {self.viewer}"
