"""What experts said of scenarios before anything was generated from them.

None of these rows ever changes.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from fartbench.models import ProtocolVersion, Round


class Opinion(models.TextChoices):
    """What an expert can say of a scenario."""

    ACCEPT = "accept", "Accept"
    CORRECT = "correct", "To be corrected"
    REJECT = "reject", "Reject"


class ScenarioVerdict(models.Model):
    """One expert's verdict on one content of a scenario, which ``digest`` names: of a corrected one
    it says nothing.

    Places 1 and 2 are the independent verdicts; 3 decides where they differ.
    """

    protocol = models.ForeignKey(
        ProtocolVersion, on_delete=models.PROTECT, related_name="scenario_verdicts"
    )
    scenario = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    place = models.PositiveSmallIntegerField()
    expert = models.CharField(
        max_length=150, help_text="The name of the account, or the one that a file says."
    )
    verdict = models.CharField(max_length=8, choices=Opinion.choices)
    words = models.TextField(
        blank=True, help_text="What is to be corrected, or why it is rejected."
    )
    at = models.DateTimeField(help_text="When it came in here.")
    said_at = models.DateTimeField(
        null=True, help_text="When it was given, as the file says that it came in with."
    )

    class Meta:
        default_permissions = ("add", "view")
        ordering = ("protocol", "scenario", "place")
        constraints = (
            models.UniqueConstraint(fields=("digest", "place"), name="a_place_takes_one_verdict"),
            models.UniqueConstraint(
                fields=("digest", "expert"), name="an_expert_speaks_once_of_a_scenario"
            ),
            models.CheckConstraint(
                condition=Q(place__in=(1, 2, 3)), name="a_scenario_has_three_verdicts_at_most"
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=Opinion.values), name="a_verdict_is_one_of_three"
            ),
            models.CheckConstraint(
                condition=~Q(expert="") & (Q(verdict=Opinion.ACCEPT) | ~Q(words="")),
                name="a_verdict_has_its_expert_and_words",
            ),
        )

    def __str__(self) -> str:
        return f"{self.scenario}: {self.get_verdict_display().lower()} by {self.expert}"


class VerdictWaiver(models.Model):
    """Why a round generates before experts have passed all its scenarios."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="verdict_waiver")
    reason = models.TextField()
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        constraints = (models.CheckConstraint(condition=~Q(reason=""), name="a_waiver_says_why"),)

    def __str__(self) -> str:
        return f"{self.round}: {self.reason}"
