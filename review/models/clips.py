"""What is shown to whom: each member's order of stimuli, stimuli that are shown no more, and
training clips.
"""

from __future__ import annotations

from pathlib import Path

from django.db import models

from blinding.models import Stimulus, opaque_id
from fartbench.models import ProtocolVersion, Round
from fartbench.stores import blind_copies
from review.models.people import CohortMember
from review.practice import Solution, solution_of


class OrderPlan(models.Model):
    """The orders of a round's cohort are drawn; ``balance`` is a `review.order_balance.Balance` as
    JSON.
    """

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="order_plan")
    balance = models.JSONField()
    drawn_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"orders of {self.round}"


class Assignment(models.Model):
    """The place of a stimulus in a member's order. The stored rows are the order."""

    member = models.ForeignKey(CohortMember, on_delete=models.PROTECT, related_name="assignments")
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("member", "stimulus"), name="a_stimulus_is_assigned_to_a_member_once"
            ),
            models.UniqueConstraint(
                fields=("member", "position"), name="a_position_holds_one_stimulus"
            ),
        )

    def __str__(self) -> str:
        return f"{self.member} {self.position}"


class Retirement(models.Model):
    """A stimulus that nobody is asked about any more: its sheets are kept and count for nothing."""

    class Outcome(models.TextChoices):
        REPLACED = "replaced", "Replaced by a new blind copy"
        NOT_REVIEWABLE = "not_reviewable", "Not reviewable"

    stimulus = models.OneToOneField(Stimulus, on_delete=models.PROTECT, related_name="retirement")
    outcome = models.CharField(max_length=16, choices=Outcome.choices)
    reason = models.CharField(max_length=200)
    retired_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.stimulus_id}: {self.get_outcome_display()}"


class TrainingClip(models.Model):
    """A clip of known truth that reviewers of a protocol practise on, with explained answers.

    It is in no round.
    """

    id = models.CharField(primary_key=True, max_length=32, default=opaque_id, editable=False)
    protocol = models.ForeignKey(
        ProtocolVersion, on_delete=models.PROTECT, related_name="training_clips"
    )
    place = models.PositiveSmallIntegerField()
    scene = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    solution = models.JSONField(
        help_text="For each question the right answer, others that are fair, and the reason."
    )

    class Meta:
        ordering = ("place",)
        constraints = (
            models.UniqueConstraint(
                fields=("protocol", "place"), name="a_place_holds_one_training_clip"
            ),
        )

    def __str__(self) -> str:
        return f"training clip {self.place} of {self.protocol}"

    @property
    def path(self) -> Path:
        """The stored file."""
        return blind_copies().path(self.sha256)

    @property
    def solutions(self) -> dict[str, Solution]:
        """The explained answers by question."""
        return {question: solution_of(entry) for question, entry in self.solution.items()}
