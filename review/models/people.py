"""Reviewers, and their places in rounds."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from fartbench.models import Round


class Reviewer(models.Model):
    """A person who rates. In exports and on pages a reviewer is a code, never a name or an
    address.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviewer"
    )
    email = models.EmailField(unique=True)
    code = models.CharField(max_length=12, unique=True)
    return_code_hash = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="Of the personal code that is the way back without a password.",
    )
    simulated = models.BooleanField(
        default=False, help_text="A scripted reviewer of the demonstration."
    )

    def __str__(self) -> str:
        return self.code


class Role(models.TextChoices):
    """Whether a reviewer's sheets enter gates and scores."""

    PRIMARY = "primary", "Primary cohort"
    SECONDARY = "secondary", "Secondary"
    REPLACED = "replaced", "Replaced"


class CohortMember(models.Model):
    """A reviewer of a round."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="members")
    reviewer = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.PRIMARY)
    place = models.PositiveSmallIntegerField(
        help_text="Which of the round's orders is this reviewer's."
    )
    left_at = models.DateTimeField(
        null=True, editable=False, help_text="When another reviewer took this place over."
    )
    left_reason = models.CharField(max_length=200, blank=True)
    consented_at = models.DateTimeField(null=True, editable=False)
    sound_checked_at = models.DateTimeField(null=True, editable=False)
    sound_check = models.JSONField(
        default=dict, help_text="What the sound check noted: tries and volume."
    )
    practised = models.JSONField(
        default=list,
        editable=False,
        help_text="The training clips that were done. Their answers are not kept.",
    )

    class Meta:
        ordering = ("place",)
        constraints = (
            models.UniqueConstraint(
                fields=("round", "reviewer"), name="a_reviewer_joins_a_round_once"
            ),
            models.UniqueConstraint(
                fields=("round", "place"), name="a_place_in_a_round_is_taken_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.reviewer} in {self.round}"

    @property
    def is_ready(self) -> bool:
        """Whether this member has been through the start page: the sound check and the consent."""
        return self.consented_at is not None and self.sound_checked_at is not None


class Invite(models.Model):
    """A link that lets a reviewer in until they have begun. Only the hash of its token is
    stored.
    """

    member = models.ForeignKey(CohortMember, on_delete=models.CASCADE, related_name="invites")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invite of {self.member}"
