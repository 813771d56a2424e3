"""Pairs of stimuli, who is asked about each, and the answers."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q

from blinding.models import Stimulus, opaque_id
from fartbench.models import Round
from review.answering import Answering, Source


class Pair(models.Model):
    """Two stimuli of one scene that are compared in one question. It never changes."""

    id = models.CharField(primary_key=True, max_length=32, default=opaque_id, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="pairs")
    question = models.CharField(max_length=40)
    scene = models.CharField(max_length=40)
    first = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="+")
    planned_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        # The order of ids is random, so that no list of pairs tells in which order they were
        # planned.
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(condition=~Q(first=F("second")), name="a_pair_is_of_two_clips"),
        )

    def __str__(self) -> str:
        return self.id


class PairTask(models.Model):
    """A member of the cohort who is asked about a pair, and which of its clips that person sees as
    A.
    """

    member = models.ForeignKey(
        "review.CohortMember", on_delete=models.PROTECT, related_name="pair_tasks"
    )
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="tasks")
    position = models.PositiveIntegerField()
    swapped = models.BooleanField(help_text="Whether the pair's second clip is A, on the left.")

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("member", "pair"), name="a_member_is_asked_about_a_pair_once"
            ),
            models.UniqueConstraint(
                fields=("member", "position"), name="a_position_holds_one_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.member} pair {self.position}"

    @property
    def clip_a(self) -> Stimulus:
        """The clip on the left."""
        return self.pair.second if self.swapped else self.pair.first

    @property
    def clip_b(self) -> Stimulus:
        """The clip on the right."""
        return self.pair.first if self.swapped else self.pair.second


class Vote(Answering):
    """One person's answer about one pair: a draft until it is locked, or ended as unplayable."""

    task = models.OneToOneField(PairTask, on_delete=models.PROTECT, related_name="vote")
    answer = models.CharField(
        max_length=20, blank=True, help_text="In terms of clip A and clip B of the task."
    )
    source = models.CharField(
        max_length=10, default=Source.BROWSER, help_text="How it came in: a review.models.Source."
    )
    playback = models.JSONField(default=dict, help_text="What the player measured of “a” and “b”.")

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(locked_at__isnull=True) | Q(unplayable_at__isnull=True),
                name="a_vote_ends_locked_or_unplayable",
            ),
        )

    def __str__(self) -> str:
        return f"vote on {self.task}"

    def side(self, name: str) -> dict[str, Any]:
        """Return what the player measured of clip ``a`` or ``b``; empty when nothing did."""
        found: dict[str, Any] = self.playback.get(name, {})
        return found
