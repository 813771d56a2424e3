"""Judge protocols: frozen and hashed before any clip is sent, and compared again before each one
is.

The content is plain JSON: who judges, the rules of its calibration, for every form the request but
for the clip's bytes and what is said of that clip alone, the SHA-256 of every blind clip in the
list with what is said of it, and the program that makes the requests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from blinding.models import Stimulus
from fartbench import audit
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.program import program
from fartbench.protocol import Form, JudgeModel, Judges, digest_of, form_keys
from fartbench.times import utc
from judging.answer_schema import answer_schema
from judging.errors import CannotFreeze, JudgeChanged, NoJudges
from judging.models import Judge, JudgeRun, Variant
from judging.ports.port import Ask, Request
from judging.ports.registry import port
from judging.wording import about_text, question_text

FORMAT = 2
# The program's files that decide what is sent and how an answer is read.
_SENDING = (
    "fartbench/protocol/*.py",
    "judging/*.py",
    "judging/ports/*.py",
    "review/page.py",
    "review/about.py",
)
STIMULI_ARE_SETTLED = (RoundState.REVIEWING, RoundState.LOCKED)


def rules_of(round_: Round) -> Judges:
    """Return what the round's protocol says of judges. Raises NoJudges when it says nothing."""
    rules = round_.protocol.rules.judges
    if rules is None:
        raise NoJudges(
            f"{round_.protocol} has no section “judges”, so only people judge round "
            f"{round_.name!r}."
        )
    return rules


def _refuse_state(round_: Round) -> None:
    if round_.state not in STIMULI_ARE_SETTLED:
        raise CannotFreeze(
            f"Judges of round {round_.name!r} are frozen once it was opened and before it is "
            f"published: it is “{round_.get_state_display()}”."
        )


@transaction.atomic
def freeze_judge(
    *, round_: Round, model: JudgeModel, actor: str, variant: str = Variant.FROZEN
) -> Judge:
    """Freeze a judge for a round, with a run for each of its clips. The same again changes nothing.

    Raises NoJudges, CannotFreeze when the round is not open or closed, or for a variant that the
    protocol does not name, and JudgeChanged when a judge of this name was frozen as something else.
    """
    _refuse_unknown_variant(round_, variant)
    if existing := Judge.objects.filter(round=round_, name=model.name, variant=variant).first():
        refuse_changed(existing, model)
        return existing
    Round.objects.select_for_update().get(pk=round_.pk)
    _refuse_state(round_)
    stimuli = list(Stimulus.objects.filter(round=round_, retirement=None))
    content = {
        **_what_is_sent(round_.protocol, _forms(round_), model, variant),
        "clips": sorted(listed(stimulus) for stimulus in stimuli),
    }
    judge = Judge.objects.create(
        round=round_, name=model.name, variant=variant, content=content, digest=digest_of(content),
        frozen_at=timezone.now(),
    )  # fmt: skip
    JudgeRun.objects.bulk_create(
        [JudgeRun(judge=judge, stimulus=stimulus) for stimulus in stimuli], batch_size=500
    )
    audit.record(
        "judge frozen",
        actor=actor,
        round_name=round_.name,
        judge=model.name,
        variant=variant,
        digest=judge.digest,
        frozen_at=utc(judge.frozen_at),
    )
    return judge


def _refuse_unknown_variant(round_: Round, variant: str) -> None:
    runs = rules_of(round_).sensitivity
    if variant != Variant.FROZEN and variant not in runs:
        named = ", ".join(runs) or "none"
        raise CannotFreeze(f"{round_.protocol} has no sensitivity run {variant!r}; it has {named}.")


def listed(stimulus: Stimulus) -> list[str]:
    """Return how a judge protocol lists a clip: its form, its SHA-256, what is said of it
    alone.
    """
    return [stimulus.form_key, stimulus.sha256, about_text(stimulus.context)]


def _forms(round_: Round) -> list[str]:
    return list(form_keys(round_.protocol.rules, round_.scenes))


def _what_is_sent(
    protocol: ProtocolVersion, forms: Sequence[str], model: JudgeModel, variant: str
) -> dict[str, Any]:
    rules = protocol.rules.judges
    return {
        "format": FORMAT,
        "judge": model.model_dump(mode="json"),
        "variant": str(variant),
        "protocol": {"name": str(protocol), "digest": protocol.digest},
        "calibration": rules.calibration.model_dump(mode="json")
        if rules and rules.calibration
        else {},
        "forms": {
            form: {"endpoint": request.endpoint, "body": request.body}
            for form in forms
            for request in [request_for(protocol.form(form), model, variant)]
        },
        "program": {
            "version": program()["version"],
            "sources": sources_digest(),
            "client": port(model.service).client,
        },
    }


def request_for(form: Form, model: JudgeModel, variant: str, *, about: str = "") -> Request:
    """Return the request about a clip with this form, but for the clip; ``about`` is what is said
    of that one alone.
    """
    rules = form.protocol.judges
    if rules is None:
        raise NoJudges(f"{form.protocol.label} has no section “judges”.")
    reverse = variant == Variant.REVERSED
    text = question_text(form, rules.instructions, about=about, reverse=reverse)
    schema = answer_schema(form, reverse=reverse)
    return port(model.service).request(Ask(model, rules, rules.media.rate(form.key), text, schema))


@cache
def sources_digest() -> str:
    """Return the SHA-256 over the program's files that decide what is sent, by path and content."""
    base = Path(settings.BASE_DIR)
    paths = sorted(path for pattern in _SENDING for path in base.glob(pattern))
    hashes = [
        (path.relative_to(base).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest())
        for path in paths
    ]
    return digest_of(hashes)


def refuse_changed(
    judge: Judge, model: JudgeModel | None = None, *, form: str | None = None
) -> None:
    """Raise JudgeChanged, naming the parts, unless what would be sent now is what was frozen: with
    a form, or any.
    """
    frozen, round_ = judge.content, judge.round
    if digest_of(frozen) != judge.digest:
        raise JudgeChanged(
            f"{judge} of round {round_.name!r} is not what was frozen: its SHA-256 is not "
            f"{judge.digest}."
        )
    if form is None:
        forms = _forms(round_)
    else:
        forms = [form]
    now = _what_is_sent(round_.protocol, forms, model or judge.model, judge.variant)
    if parts := _differences(now, frozen):
        raise JudgeChanged(
            f"{judge} of round {round_.name!r} was frozen with another {', another '.join(parts)}. "
            "Nothing was sent. "
            f"Run the program that froze it, version {frozen['program']['version']}, or judge "
            "under another name."
        )


def _differences(now: dict[str, Any], frozen: dict[str, Any]) -> list[str]:
    changed: list[str] = []
    for key, value in now.items():
        before = frozen.get(key)
        if digest_of(before) == digest_of(value):
            continue
        if isinstance(value, dict) and isinstance(before, dict):
            changed += [f"{key}.{part}" for part in value if value[part] != before.get(part)]
        else:
            changed.append(key)
    return changed
