"""Prompts in the database: rendered, compared by rule, audited by a person, frozen; and what a
later change means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.models import ProtocolVersion
from fartbench.protocol.digest import digest_of
from generation.errors import PromptRefused
from generation.models import Cell, Configuration, Prompt, PromptAudit, RawView, Sample, SampleState
from generation.prompts import (
    ADAPTERS,
    QUESTIONS,
    audit_faults,
    parse_specification,
    prompt_faults,
    read_specification,
)
from generation.prompts.adapters import Rendered, render
from generation.prompts.schedule import SCHEDULE, render_schedule

CellPlace = tuple[int, str]


def current_prompts(
    protocol: ProtocolVersion, configurations: Iterable[Configuration]
) -> dict[CellPlace, Prompt]:
    """Return the newest version of each prompt by configuration key and scene."""
    prompts: dict[CellPlace, Prompt] = {}
    rows = Prompt.objects.filter(
        protocol=protocol, configuration__in=list(configurations)
    ).order_by("pilot_version")
    for prompt in rows.select_related("configuration", "protocol"):
        prompts[prompt.configuration_id, prompt.scene] = prompt
    return prompts


@transaction.atomic
def render_prompts(
    *,
    protocol: ProtocolVersion,
    configurations: Iterable[Configuration],
    scenes: Iterable[str],
    actor: str,
) -> list[Prompt]:
    """Render what has no prompt yet or a prompt that is not frozen; frozen prompts stay. Returns
    what was rendered.

    The schedule of a rollout is frozen at once: nothing is reworded, so there is nothing that a
    person would compare. Raises PromptRefused when the bytes do not say what the specification
    says, SpecificationError without one.
    """
    wanted = list(configurations)
    there, made = current_prompts(protocol, wanted), []
    for scene in scenes:
        for configuration in wanted:
            prompt = there.get((configuration.pk, scene))
            if prompt is not None and prompt.frozen_at is not None:
                continue
            rendered, content = _rendered(protocol, configuration, scene)
            made.append(_store(protocol, configuration, scene, 1, rendered, content))
    names = sorted({prompt.configuration.name for prompt in made})
    if made:
        audit.record(
            "prompts rendered",
            actor=actor,
            protocol=str(protocol),
            configurations=names,
            prompts=len(made),
        )
    freeze_prompts(prompts=[prompt for prompt in made if prompt.adapter == SCHEDULE], actor=actor)
    return made


def _rendered(
    protocol: ProtocolVersion, configuration: Configuration, scene: str
) -> tuple[Rendered, object]:
    """Return a prompt and what it was rendered from. A rollout's is its schedule, word for word."""
    if protocol.rules.rollouts is not None:
        scenario = protocol.rules.rollouts.scenario(scene)
        return render_schedule(scenario), scenario.model_dump(mode="json")
    specification, content = read_specification(protocol.name, protocol.version, scene)
    rendered = render(specification, ADAPTERS[_adapter_of(configuration)])
    if faults := prompt_faults(rendered.text, specification, adapter=rendered.adapter):
        raise PromptRefused(f"{configuration.name}, {scene}: " + "; ".join(faults))
    return rendered, content


def _adapter_of(configuration: Configuration) -> str:
    file = configuration.file
    if file is None or file.prompt_adapter not in ADAPTERS:
        raise PromptRefused(
            f"{configuration.name} names no prompt adapter that exists. There are: "
            f"{', '.join(ADAPTERS)}."
        )
    return file.prompt_adapter


def _store(  # noqa: PLR0917 - the columns of one row
    protocol: ProtocolVersion,
    configuration: Configuration,
    scene: str,
    version: int,
    rendered: Rendered,
    content: object,
) -> Prompt:
    fields = {
        "adapter": rendered.adapter,
        "adapter_version": rendered.adapter_version,
        "specification": content,
        "specification_digest": digest_of(content),
        "body": rendered.body,
        "sha256": rendered.sha256,
        "sources": list(rendered.sources),
    }
    return Prompt.objects.update_or_create(
        configuration=configuration,
        protocol=protocol,
        scene=scene,
        pilot_version=version,
        defaults=fields,
    )[0]


@transaction.atomic
def audit_prompt(
    *, prompt: Prompt, answers: Mapping[str, bool], auditor: str, note: str = ""
) -> PromptAudit:
    """Store a person's answers to the nine questions. They hold for every prompt of these very
    bytes.

    Raises PromptRefused without a name, or with a question that is unanswered or unknown. A NO is
    stored too: it says why the prompt cannot be frozen.
    """
    if not auditor.strip():
        raise PromptRefused("The audit is by a named person: say who you are.")
    unanswered = [fault for fault in audit_faults(answers) if not fault.startswith("answered NO")]
    if unanswered:
        raise PromptRefused(f"The audit of {prompt} is incomplete. " + "; ".join(unanswered))
    row = PromptAudit.objects.create(
        sha256=prompt.sha256,
        specification_digest=prompt.specification_digest,
        auditor=auditor.strip(),
        answers={key: bool(answers[key]) for key in QUESTIONS},
        note=note,
    )
    audit.record(
        "prompt audited",
        actor=auditor.strip(),
        prompt=str(prompt),
        sha256=prompt.sha256,
        answers=row.answers,
    )
    return row


def last_audit(prompt: Prompt) -> PromptAudit | None:
    """Return the newest audit of a prompt's bytes."""
    of_bytes = PromptAudit.objects.filter(
        sha256=prompt.sha256, specification_digest=prompt.specification_digest
    )
    return of_bytes.order_by("-pk").first()


@transaction.atomic
def freeze_prompts(*, prompts: Iterable[Prompt], actor: str) -> int:
    """Freeze prompts whose newest audit is nine times YES, and return how many were. Frozen ones
    are passed over.

    Raises PromptRefused, and freezes none, when one is not audited or not equal, or its bytes are
    not its digest's.
    """
    frozen = []
    for prompt in prompts:
        if prompt.frozen_at is not None:
            continue
        _refuse_freeze(prompt)
        prompt.frozen_at, prompt.frozen_by = timezone.now(), actor
        prompt.save(update_fields=["frozen_at", "frozen_by"])
        frozen.append({"prompt": str(prompt), "sha256": prompt.sha256})
    if frozen:
        audit.record("prompts frozen", actor=actor, prompts=frozen)
    return len(frozen)


def _refuse_freeze(prompt: Prompt) -> None:
    if prompt.adapter == SCHEDULE:
        _refuse_other_schedule(prompt)
        return
    specification = parse_specification(
        prompt.specification, source=f"the specification of {prompt.scene}"
    )
    rendered = render(specification, ADAPTERS[prompt.adapter])
    by_hand = prompt.adapter_version != rendered.adapter_version
    if not by_hand and (bytes(prompt.body) != rendered.body or prompt.sha256 != rendered.sha256):
        raise PromptRefused(
            f"{prompt}: its bytes are not what {prompt.adapter} {prompt.adapter_version} renders."
        )
    if faults := prompt_faults(prompt.text, specification, adapter=prompt.adapter):
        raise PromptRefused(f"{prompt}: " + "; ".join(faults))
    audited = last_audit(prompt)
    if audited is None:
        raise PromptRefused(f"{prompt} is not audited: a person answers the nine questions first.")
    if faults := audit_faults(audited.answers):
        raise PromptRefused(
            f"{prompt} was found not to be equivalent by {audited.auditor}. " + "; ".join(faults)
        )


def _refuse_other_schedule(prompt: Prompt) -> None:
    if bytes(prompt.body) != _rendered(prompt.protocol, prompt.configuration, prompt.scene)[0].body:
        raise PromptRefused(f"{prompt}: its bytes are not the schedule of its scenario.")


def viewed_raw(sample: Sample, viewer: str) -> None:
    """Note that somebody looks at a raw clip."""
    RawView.objects.create(sample=sample, viewer=viewer)


def first_view(configuration: Configuration, scene: str) -> RawView | None:
    """Return when a raw clip of a configuration and scene was first looked at."""
    of_cell = RawView.objects.filter(
        sample__cell__configuration=configuration, sample__cell__scene=scene
    )
    return of_cell.order_by("pk").first()


@transaction.atomic
def new_pilot_version(*, prompt: Prompt, actor: str, reason: str) -> Prompt:
    """Open a new pilot version of a frozen prompt with what its adapter and specification say
    today.

    Every earlier sample of these cells becomes development-only, and each gets a new one that is to
    be bought. Raises PromptRefused when nothing has changed, without a reason, or when a sample is
    under way or has its blind copy.
    """
    if not reason.strip():
        raise PromptRefused(
            "Say why the prompt changes; the reason is recorded in the audit trail."
        )
    rendered, content = _rendered(prompt.protocol, prompt.configuration, prompt.scene)
    if rendered.sha256 == prompt.sha256:
        raise PromptRefused(f"{prompt}: adapter and specification give the same bytes as before.")
    made = _store(
        prompt.protocol,
        prompt.configuration,
        prompt.scene,
        prompt.pilot_version + 1,
        rendered,
        content,
    )
    replaced = _set_aside(prompt)
    viewed = first_view(prompt.configuration, prompt.scene)
    audit.record(
        "new pilot version", actor=actor, prompt=str(made), before=prompt.sha256, after=made.sha256,
        reason=reason,
        first_viewed=viewed.at.isoformat() if viewed else None, development_only=replaced,
    )  # fmt: skip
    return made


def _set_aside(prompt: Prompt) -> int:
    cells = Cell.objects.filter(
        round__protocol=prompt.protocol, configuration=prompt.configuration, scene=prompt.scene
    )
    samples = Sample.objects.filter(cell__in=cells).exclude(state=SampleState.PLANNED)
    if samples.filter(frozen_at__isnull=False).exists():
        raise PromptRefused(
            f"{prompt}: clips of it have blind copies already; the round keeps the prompt it has."
        )
    settled = (*SampleState.outcomes(), SampleState.READY, SampleState.BLOCKED)
    if busy := samples.exclude(state__in=settled).first():
        raise PromptRefused(
            f"{busy.cell} is “{busy.get_state_display()}”: wait until nothing is under way, or "
            "cancel it."
        )
    old = list(samples.select_related("cell"))
    Sample.every.filter(pk__in=[sample.pk for sample in old]).update(counts=False)
    Sample.every.bulk_create(
        Sample(cell=sample.cell, pilot_version=max(sample.pilot_version, prompt.pilot_version) + 1)
        for sample in old
    )
    return len(old)
