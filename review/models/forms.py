"""Forms as rows, which the database's own guards read."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from fartbench.models import ProtocolVersion
from fartbench.protocol import Response


class Form(models.Model):
    """A form of one protocol, as rows that the database's own guards read. Frozen once written."""

    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="forms")
    scene = models.CharField(
        max_length=100, help_text="Its key: the scene's, or that of a form about windows."
    )
    frozen_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("protocol", "scene"), name="a_scene_has_one_form"),
        )

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
        constraints = (
            models.UniqueConstraint(fields=("form", "key"), name="a_form_asks_a_question_once"),
        )

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
