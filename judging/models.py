"""Frozen judges, what each was asked, and every try to ask it. Human answers are not known here."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from blinding.models import Stimulus
from fartbench.models import Round
from fartbench.protocol import JudgeModel


class Variant(models.TextChoices):
    """Which of a judge's runs: the frozen one that is calibrated, or one that shows what the judge
    depends on.
    """

    FROZEN = "frozen", "As frozen"
    REVERSED = "reversed", "Options in reverse order"
    MUTED = "muted", "Without sound"
    NO_PICTURE = "no_picture", "Without picture"


class Judge(models.Model):
    """A judge of one round, frozen: everything that decides what it is sent.

    A database guard keeps it so.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="judges")
    name = models.CharField(max_length=40)
    variant = models.CharField(max_length=12, choices=Variant.choices, default=Variant.FROZEN)
    content = models.JSONField(help_text="The judge protocol: see judging.freezing.")
    digest = models.CharField(max_length=64, help_text="SHA-256 over the canonical content.")
    frozen_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "variant")
        constraints = (
            models.UniqueConstraint(
                fields=("round", "name", "variant"), name="a_judge_is_frozen_once_per_round"
            ),
        )

    def __str__(self) -> str:
        if self.variant == Variant.FROZEN:
            return self.name
        return f"{self.name} ({self.get_variant_display().lower()})"

    @property
    def model(self) -> JudgeModel:
        """The model that was frozen."""
        return JudgeModel.model_validate(self.content["judge"])


class RunState(models.TextChoices):
    """The state of one judge with one clip."""

    DUE = "due", "Not asked yet"
    ASKING = "asking", "Being asked"
    ANSWERED = "answered", "Answered"
    BLOCKED = "blocked", "Blocked"
    INVALID = "invalid", "Invalid answer"
    ERROR = "error", "Error"

    @classmethod
    def ended(cls) -> tuple[RunState, ...]:
        """Return the states in which nothing more is asked."""
        return cls.ANSWERED, cls.BLOCKED, cls.INVALID, cls.ERROR


class JudgeRun(models.Model):
    """One judge asked about one blind copy, and what came of it. Once ended it never changes."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=8, choices=RunState.choices, default=RunState.DUE)
    code = models.CharField(max_length=40, blank=True, help_text="What kind of error it was.")
    reason = models.TextField(blank=True, help_text="Why there is no answer, or not yet.")
    answers = models.JSONField(
        null=True, help_text="Each question's answer as text, when there is one."
    )
    model_version = models.CharField(
        max_length=120, blank=True, help_text="As the service returned it."
    )
    response_id = models.CharField(max_length=200, blank=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("judge", "stimulus")
        constraints = (
            models.UniqueConstraint(
                fields=("judge", "stimulus"), name="a_judge_is_asked_about_a_clip_once"
            ),
            models.CheckConstraint(
                condition=Q(state="answered", answers__isnull=False)
                | (~Q(state="answered") & Q(answers__isnull=True)),
                name="an_answered_run_has_answers_and_no_other",
            ),
        )

    def __str__(self) -> str:
        return f"{self.judge} on {self.stimulus_id}"


class TryState(models.TextChoices):
    """The state of one HTTP try."""

    OPEN = "open", "Sent, no answer yet"
    CLOSED = "closed", "Closed"


class JudgeTry(models.Model):
    """One HTTP try, written before the socket opens.

    Once closed it is a log row that never changes.
    """

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="tries")
    number = models.PositiveSmallIntegerField(help_text="1 for the first try.")
    token = models.UUIDField(
        default=uuid.uuid4, unique=True, help_text="Our own name for this try."
    )
    state = models.CharField(max_length=6, choices=TryState.choices, default=TryState.OPEN)
    request_sha256 = models.CharField(
        max_length=64, help_text="Of endpoint, body and clip; equal in every retry."
    )
    media_sha256 = models.CharField(
        max_length=64, help_text="Of the bytes that were sent as the clip."
    )
    endpoint = models.CharField(max_length=200)
    client = models.CharField(max_length=80, help_text="Adapter and library with their versions.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    answer_class = models.CharField(
        max_length=16, blank=True, help_text="What the answer was taken to be."
    )
    words = models.TextField(blank=True)
    usage = models.JSONField(default=dict)
    response = models.TextField(
        blank=True, help_text="The answer's text, cut to a size, without secrets."
    )

    class Meta:
        ordering = ("run", "number")
        verbose_name_plural = "judge tries"
        constraints = (
            models.UniqueConstraint(
                fields=("run", "number"), name="a_judges_try_has_a_number_of_its_own"
            ),
            models.UniqueConstraint(
                fields=("run",),
                condition=Q(state="open"),
                name="a_judge_is_asked_one_question_at_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.run_id} try {self.number}"


class JudgeAccount(models.Model):
    """An account with a judges' service: how much it takes at once, and until when it asked to be
    left alone.
    """

    service = models.CharField(max_length=40, unique=True)
    max_in_flight = models.PositiveSmallIntegerField(default=4, help_text="Questions at one time.")
    min_interval_s = models.FloatField(default=0.5, help_text="Between two questions, in seconds.")
    cooldown_until = models.DateTimeField(
        null=True, blank=True, help_text="From the service's Retry-After."
    )
    next_at = models.DateTimeField(null=True, blank=True)
    paused_because = models.TextField(
        blank=True, help_text="Why nothing is sent; empty when it is not paused."
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(max_in_flight__gte=1), name="a_service_takes_one_at_least"
            ),
        )

    def __str__(self) -> str:
        return self.service


class JudgeCeiling(models.Model):
    """What the judges of a round may cost together, in US dollars."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="judge_ceiling")
    usd = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(usd__gte=0), name="a_judge_ceiling_is_not_negative"),
        )

    def __str__(self) -> str:
        return f"${self.usd}"
