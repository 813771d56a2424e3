"""Whether the rows that the lock guards read, and the name of a protocol, say what its content
says.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import F, Q

from fartbench.models import ProtocolVersion, Round
from fartbench.protocol import ProtocolError
from review.models import AnswerSheet, Form
from review.pair_guards import FORM_OF_PAIRS

Allowed = tuple[str | None, ...]
_ALLOWED = ("question", "value", "na_reason", "requires_question", "requires_value")


def rule_faults(round_: Round) -> Iterator[str]:
    """Yield a sentence for each row of the round's rules that its protocol does not give."""
    protocol = round_.protocol
    try:
        rules = protocol.rules
    except ProtocolError as error:
        yield f"protocol {protocol}: its content cannot be read: {error}"
        return
    if (protocol.name, protocol.version) != (rules.name, rules.version):
        yield f"protocol {protocol}: its content says {rules.name}@{rules.version}"
    if protocol.frozen_at is None:
        yield f"protocol {protocol}: it is not frozen, and the round was opened on it"
    forms = Form.objects.filter(protocol=protocol).prefetch_related("questions", "allowed_answers")
    for form in forms:
        if form.frozen_at is None or not _says_the_protocol(form, protocol):
            yield f"the form {form.scene!r} of the database does not follow from {protocol}"
    yield from _sheets_of_other_forms(round_)


def _says_the_protocol(form: Form, protocol: ProtocolVersion) -> bool:
    questions = {(row.key, row.is_first_impression) for row in form.questions.all()}
    allowed = [tuple(getattr(row, name) for name in _ALLOWED) for row in form.allowed_answers.all()]
    if form.scene == FORM_OF_PAIRS:
        return (questions, sorted(allowed, key=repr)) == _of_pairs(protocol)
    try:
        rules = protocol.form(form.scene)
    except KeyError:
        return False
    wanted = {(key, key in rules.first_impression) for key in rules.keys}
    answers = [tuple(getattr(one, name) for name in _ALLOWED) for one in rules.allowed]
    return (questions, sorted(allowed, key=repr)) == (wanted, sorted(answers, key=repr))


def _of_pairs(protocol: ProtocolVersion) -> tuple[set[tuple[str, bool]], list[Allowed]]:
    pairs = protocol.rules.pairs
    if pairs is None:
        return set(), []
    questions = {(question.key, False) for question in pairs.questions}
    answers: list[Allowed] = [
        (question.key, option.value, None, None, None)
        for question in pairs.questions
        for option in pairs.options(question.key)
    ]
    return questions, sorted(answers, key=repr)


def _sheets_of_other_forms(round_: Round) -> Iterator[str]:
    sheets = AnswerSheet.objects.filter(stimulus__round=round_, locked_at__isnull=False)
    fits = Q(form__scene=F("stimulus__form")) | Q(
        stimulus__form="", form__scene=F("stimulus__scene")
    )
    others = sheets.exclude(fits, form__protocol=round_.protocol_id)
    for stimulus, code in others.values_list("stimulus_id", "reviewer__code"):
        yield f"the sheet of {code} on {stimulus} has the form of something else"
