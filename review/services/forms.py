"""The rule rows that the database's guards read, written from the protocol."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from fartbench.models import ProtocolVersion
from fartbench.protocol import form_keys
from review.models import AllowedAnswer, Form, FormQuestion
from review.pair_guards import FORM_OF_PAIRS


@transaction.atomic
def write_forms(protocol: ProtocolVersion, scenes: Iterable[str] | None = None) -> list[Form]:
    """Write each form that is asked about these scenes (None for all), frozen, and return them in
    the protocol's order.

    Doing it again changes nothing.
    """
    written = {form.scene: form for form in Form.objects.filter(protocol=protocol)}
    return [written.get(key) or _write(protocol, key) for key in form_keys(protocol.rules, scenes)]


@transaction.atomic
def write_pair_form(protocol: ProtocolVersion) -> None:
    """Write the frozen form of the protocol's pairs, when it has any.

    Doing it again changes nothing.
    """
    pairs = protocol.rules.pairs
    if pairs is None or Form.objects.filter(protocol=protocol, scene=FORM_OF_PAIRS).exists():
        return
    form = Form.objects.create(protocol=protocol, scene=FORM_OF_PAIRS)
    FormQuestion.objects.bulk_create(
        FormQuestion(form=form, key=question.key) for question in pairs.questions
    )
    AllowedAnswer.objects.bulk_create(
        AllowedAnswer(form=form, question=question.key, value=option.value)
        for question in pairs.questions
        for option in pairs.options(question.key)
    )
    form.frozen_at = timezone.now()
    form.save(update_fields=["frozen_at"])


def _write(protocol: ProtocolVersion, key: str) -> Form:
    rules = protocol.form(key)
    form = Form.objects.create(protocol=protocol, scene=key)
    FormQuestion.objects.bulk_create(
        FormQuestion(form=form, key=key, is_first_impression=key in rules.first_impression)
        for key in rules.keys
    )
    AllowedAnswer.objects.bulk_create(
        AllowedAnswer(
            form=form,
            question=answer.question,
            value=answer.value,
            na_reason=answer.na_reason,
            requires_question=answer.requires_question,
            requires_value=answer.requires_value,
        )
        for answer in rules.allowed
    )
    form.frozen_at = timezone.now()
    form.save(update_fields=["frozen_at"])
    return form
