"""The answers about one stimulus, each a row."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from blinding.models import Stimulus
from fartbench.protocol import Response
from review.answering import Answering, Source
from review.models.forms import Form
from review.models.people import Reviewer


class AnswerSheet(Answering):
    """One reviewer's answers about one stimulus: a draft until it is locked, or ended as
    unplayable.
    """

    reviewer = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="sheets")
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="sheets")
    form = models.ForeignKey(Form, on_delete=models.PROTECT, related_name="sheets")
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.BROWSER)
    playback = models.JSONField(
        default=dict, help_text="What the player measured; empty when nothing did."
    )
    set_aside_at = models.DateTimeField(
        null=True, editable=False, help_text="Left for later; the next clip came first."
    )
    impression_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When the first impression was kept, where the protocol asks for one.",
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("reviewer", "stimulus"), name="a_reviewer_has_one_sheet_per_stimulus"
            ),
            models.CheckConstraint(
                condition=Q(locked_at__isnull=True) | Q(unplayable_at__isnull=True),
                name="a_sheet_ends_locked_or_unplayable",
            ),
        )

    def __str__(self) -> str:
        return f"{self.reviewer} on {self.stimulus_id}"

    @property
    def playback_measured(self) -> bool:
        return bool(self.playback)

    def responses(self) -> dict[str, Response]:
        """Return the stored answers by question."""
        return {answer.question: answer.response for answer in self.answers.all()}


class MistakeReport(models.Model):
    """A mistake that a reviewer noticed after locking: kept beside the sheet, which it does not
    change.
    """

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
            models.UniqueConstraint(
                fields=("sheet", "question"), name="a_sheet_answers_a_question_once"
            ),
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
