"""What was sent to providers and what they answered; accounts, ceilings and the log of every change
of state.
"""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from fartbench.models import Round
from generation.models.cells import Sample


class SubmissionState(models.TextChoices):
    """The state of one HTTP try."""

    OPEN = "open", "Sent, no answer yet"
    ACCEPTED = "accepted", "Accepted"
    UNCERTAIN = "uncertain", "Uncertain"
    CLOSED = "closed", "Closed"


class Submission(models.Model):
    """One HTTP try, written before the socket opens. Once closed or accepted it is a log row."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveSmallIntegerField(help_text="1 for the first try.")
    token = models.UUIDField(
        default=uuid.uuid4, unique=True, help_text="Our own name for this try."
    )
    provider = models.CharField(max_length=40)
    state = models.CharField(
        max_length=10, choices=SubmissionState.choices, default=SubmissionState.OPEN
    )
    request_sha256 = models.CharField(
        max_length=64, help_text="Of the endpoint and the body; equal in every retry."
    )
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    endpoint = models.CharField(max_length=200)
    client = models.CharField(max_length=80, help_text="Adapter and SDK with their versions.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer_class = models.CharField(
        max_length=24, blank=True, help_text="What the answer was taken to be."
    )
    code = models.CharField(max_length=120, blank=True)
    words = models.TextField(blank=True)
    provider_id = models.CharField(max_length=300, blank=True)
    provider_request_ids = models.JSONField(default=dict, blank=True)
    handle = models.JSONField(
        default=dict, blank=True, help_text="What polling needs besides the id."
    )
    response = models.TextField(
        blank=True, help_text="The answer's text, cut to a size, without secrets."
    )

    class Meta:
        ordering = ("sample", "number")
        constraints = (
            models.UniqueConstraint(
                fields=("sample", "number"), name="a_try_has_a_number_of_its_own"
            ),
            models.UniqueConstraint(
                fields=("sample",),
                condition=~Q(state="closed"),
                name="a_sample_has_one_try_that_may_have_been_accepted",
            ),
            models.UniqueConstraint(
                fields=("provider", "provider_id"),
                condition=~Q(provider_id=""),
                name="a_provider_id_belongs_to_one_try",
            ),
            models.CheckConstraint(
                condition=~Q(state="accepted") | ~Q(provider_id=""),
                name="only_a_provider_id_makes_an_acceptance",
            ),
        )

    def __str__(self) -> str:
        return f"{self.sample_id} try {self.number}"


class SampleEvent(models.Model):
    """One change of a sample's state. Never changed, never deleted."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="events")
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=150)
    before = models.CharField(max_length=16)
    after = models.CharField(max_length=16)
    words = models.TextField(blank=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.sample_id}: {self.before} → {self.after}"


class ProviderAccount(models.Model):
    """An account with a provider: how much it takes at once, and until when it asked to be left
    alone.
    """

    provider = models.CharField(max_length=40, unique=True)
    max_in_flight = models.PositiveSmallIntegerField(
        default=2, help_text="Accepted and unfinished at one time."
    )
    min_interval_s = models.FloatField(
        default=1.0, help_text="Between two submissions, in seconds."
    )
    cooldown_until = models.DateTimeField(
        null=True, blank=True, help_text="From the provider's Retry-After."
    )
    next_submit_at = models.DateTimeField(null=True, blank=True)
    paused = models.BooleanField(default=False)
    turn = models.PositiveIntegerField(
        default=0, editable=False, help_text="Counts the dispatcher's turns."
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(max_in_flight__gte=1), name="an_account_takes_one_at_least"
            ),
        )

    def __str__(self) -> str:
        return self.provider


class Commissioning(models.Model):
    """How a round buys its clips: whether it is paused."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="commissioning")
    paused = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.round}{' (paused)' if self.paused else ''}"


class Ceiling(models.Model):
    """What a round may spend, in US dollars: on one provider, or with an empty provider in all."""

    commissioning = models.ForeignKey(
        Commissioning, on_delete=models.CASCADE, related_name="ceilings"
    )
    provider = models.CharField(max_length=40, blank=True)
    usd = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("commissioning", "provider"), name="a_round_has_one_ceiling_per_provider"
            ),
            models.CheckConstraint(condition=Q(usd__gte=0), name="a_ceiling_is_not_negative"),
        )

    def __str__(self) -> str:
        return f"{self.provider or 'in all'}: ${self.usd}"
