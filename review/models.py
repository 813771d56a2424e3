"""Reviewers, their assignments, and answers as rows. Nothing here knows configurations."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import Q

from blinding.models import Stimulus, opaque_id
from fartbench.models import ProtocolVersion, Round
from fartbench.protocol import Response
from fartbench.storage import blind_copies
from review.pairs.models import Pair, PairTask, Vote
from review.practice import Solution, solution_of

__all__ = [
    "AllowedAnswer",
    "Answer",
    "AnswerSheet",
    "Assignment",
    "CohortMember",
    "Form",
    "FormQuestion",
    "Invite",
    "MistakeReport",
    "OrderPlan",
    "Pair",
    "PairTask",
    "Retirement",
    "Reviewer",
    "Role",
    "Source",
    "TrainingClip",
    "Vote",
]


class Form(models.Model):
    """A form of one protocol, as rows that the database's own guards read. Frozen once written."""

    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="forms")
    scene = models.CharField(max_length=100, help_text="Its key: the scene's, or that of a form about windows.")
    frozen_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("protocol", "scene"), name="a_scene_has_one_form"),)

    def __str__(self) -> str:
        return f"{self.protocol} {self.scene}"


class FormQuestion(models.Model):
    """A question that a sheet must answer before it can be locked."""

    form = models.ForeignKey(Form, on_delete=models.PROTECT, related_name="questions")
    key = models.CharField(max_length=40)
    is_first_impression = models.BooleanField(
        default=False, help_text="Answered before all others, and then it stays as it was answered."
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("form", "key"), name="a_form_asks_a_question_once"),)

    def __str__(self) -> str:
        return self.key


class AllowedAnswer(models.Model):
    """An answer that may stand in a locked sheet, perhaps only beside another answer."""

    form = models.ForeignKey(Form, on_delete=models.PROTECT, related_name="allowed_answers")
    question = models.CharField(max_length=40)
    value = models.CharField(max_length=20, null=True)  # noqa: DJ001 - NULL means "this is an N/A"
    na_reason = models.CharField(max_length=40, null=True)  # noqa: DJ001 - NULL means "this is a value"
    requires_question = models.CharField(max_length=40, null=True)  # noqa: DJ001 - NULL means "always"
    requires_value = models.CharField(max_length=20, null=True)  # noqa: DJ001 - NULL means "always"

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(value__isnull=True, na_reason__isnull=False)
                | Q(value__isnull=False, na_reason__isnull=True),
                name="an_allowed_answer_is_a_value_or_an_na",
            ),
        )
        indexes = (models.Index(fields=("form", "question"), name="allowed_answers_of_a_question"),)

    def __str__(self) -> str:
        return f"{self.question}: {Response(value=self.value, na_reason=self.na_reason)}"


class Reviewer(models.Model):
    """A person who rates. In exports and on pages a reviewer is a code, never a name or an address."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviewer")
    email = models.EmailField(unique=True)
    code = models.CharField(max_length=12, unique=True)
    return_code_hash = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="Of the personal code that is the way back without a password.",
    )
    simulated = models.BooleanField(default=False, help_text="A scripted reviewer of the demonstration.")

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
    place = models.PositiveSmallIntegerField(help_text="Which of the round's orders is this reviewer's.")
    left_at = models.DateTimeField(null=True, editable=False, help_text="When another reviewer took this place over.")
    left_reason = models.CharField(max_length=200, blank=True)
    consented_at = models.DateTimeField(null=True, editable=False)
    sound_checked_at = models.DateTimeField(null=True, editable=False)
    sound_check = models.JSONField(default=dict, help_text="What the sound check noted: tries and volume.")
    practised = models.JSONField(
        default=list, editable=False, help_text="The training clips that were done. Their answers are not kept."
    )

    class Meta:
        ordering = ("place",)
        constraints = (
            models.UniqueConstraint(fields=("round", "reviewer"), name="a_reviewer_joins_a_round_once"),
            models.UniqueConstraint(fields=("round", "place"), name="a_place_in_a_round_is_taken_once"),
        )

    def __str__(self) -> str:
        return f"{self.reviewer} in {self.round}"

    @property
    def is_ready(self) -> bool:
        """Whether this member has been through the start page: the sound check and the consent."""
        return self.consented_at is not None and self.sound_checked_at is not None


class Invite(models.Model):
    """A link that opens once. Only the hash of its token is stored."""

    member = models.ForeignKey(CohortMember, on_delete=models.CASCADE, related_name="invites")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invite of {self.member}"


class OrderPlan(models.Model):
    """The orders of a round's cohort are drawn; ``balance`` is a `review.order_balance.Balance` as JSON."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="order_plan")
    balance = models.JSONField()
    drawn_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"orders of {self.round}"


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
    """A clip of known truth that reviewers of a protocol practise on, with explained answers. It is in no round."""

    id = models.CharField(primary_key=True, max_length=32, default=opaque_id, editable=False)
    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="training_clips")
    place = models.PositiveSmallIntegerField()
    scene = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    solution = models.JSONField(help_text="For each question the right answer, others that are fair, and the reason.")

    class Meta:
        ordering = ("place",)
        constraints = (models.UniqueConstraint(fields=("protocol", "place"), name="a_place_holds_one_training_clip"),)

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


class Assignment(models.Model):
    """The place of a stimulus in a member's order. The stored rows are the order."""

    member = models.ForeignKey(CohortMember, on_delete=models.PROTECT, related_name="assignments")
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("member", "stimulus"), name="a_stimulus_is_assigned_to_a_member_once"),
            models.UniqueConstraint(fields=("member", "position"), name="a_position_holds_one_stimulus"),
        )

    def __str__(self) -> str:
        return f"{self.member} {self.position}"


class Source(models.TextChoices):
    """How the answers of a sheet came in."""

    BROWSER = "browser", "Browser"
    IMPORTED = "imported", "Imported"
    SIMULATED = "simulated", "Simulated"


class AnswerSheet(models.Model):
    """One reviewer's answers about one stimulus: a draft until it is locked, or ended as unplayable."""

    reviewer = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="sheets")
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="sheets")
    form = models.ForeignKey(Form, on_delete=models.PROTECT, related_name="sheets")
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.BROWSER)
    revision = models.PositiveIntegerField(default=0, help_text="Goes up with every saved change.")
    playback = models.JSONField(default=dict, help_text="What the player measured; empty when nothing did.")
    started_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    set_aside_at = models.DateTimeField(
        null=True, editable=False, help_text="Left for later; the next clip came first."
    )
    impression_at = models.DateTimeField(
        null=True, editable=False, help_text="When the first impression was kept, where the protocol asks for one."
    )
    locked_at = models.DateTimeField(null=True, editable=False)
    digest = models.CharField(max_length=64, blank=True, editable=False, help_text="SHA-256 of what was locked.")
    unplayable_at = models.DateTimeField(null=True, editable=False)
    unplayable_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("reviewer", "stimulus"), name="a_reviewer_has_one_sheet_per_stimulus"),
            models.CheckConstraint(
                condition=Q(locked_at__isnull=True) | Q(unplayable_at__isnull=True),
                name="a_sheet_ends_locked_or_unplayable",
            ),
        )

    def __str__(self) -> str:
        return f"{self.reviewer} on {self.stimulus_id}"

    @property
    def is_ended(self) -> bool:
        return self.locked_at is not None or self.unplayable_at is not None

    @property
    def playback_measured(self) -> bool:
        return bool(self.playback)

    def responses(self) -> dict[str, Response]:
        """Return the stored answers by question."""
        return {answer.question: answer.response for answer in self.answers.all()}


class MistakeReport(models.Model):
    """A mistake that a reviewer noticed after locking: kept beside the sheet, which it does not change."""

    sheet = models.ForeignKey(AnswerSheet, on_delete=models.PROTECT, related_name="mistake_reports")
    text = models.CharField(max_length=500)
    reported_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"mistake reported on {self.sheet}"


class Answer(models.Model):
    """One answer: a value, or N/A with its reason."""

    sheet = models.ForeignKey(AnswerSheet, on_delete=models.CASCADE, related_name="answers")
    question = models.CharField(max_length=40)
    value = models.CharField(max_length=20, null=True)  # noqa: DJ001 - NULL means "this is an N/A"
    na_reason = models.CharField(max_length=40, null=True)  # noqa: DJ001 - NULL means "this is a value"

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("sheet", "question"), name="a_sheet_answers_a_question_once"),
            models.CheckConstraint(
                condition=Q(value__isnull=True, na_reason__isnull=False)
                | Q(value__isnull=False, na_reason__isnull=True),
                name="an_answer_is_a_value_or_an_na",
            ),
        )

    def __str__(self) -> str:
        return f"{self.question}: {self.response}"

    @property
    def response(self) -> Response:
        return Response(value=self.value, na_reason=self.na_reason)
