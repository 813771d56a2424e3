"""Makes a small world of rows large, by copies of what is there; the services would make them one
by one.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import count

from django.utils import timezone

from blinding.models import BlindCopy, BlindingKey, Stimulus
from fartbench.models import AuditEntry, Job, JobState, Round, RoundState
from generation.models import Cell, Clip, Configuration, Prompt, Sample, SampleState
from review.models import AnswerSheet, Assignment, CohortMember
from scoring.models import Release, ReleaseDocument
from tests.unguarded import unguarded

_numbers = count(10_000)


def grow(by: int) -> None:
    """Add ``by`` rounds, published ones among them, entries and jobs, and ``by`` cells to every
    round that is there.
    """
    rounds = list(Round.objects.exclude(name__startswith="grown-").select_related("protocol"))
    with unguarded():  # an opened round takes no cells
        for round_ in rounds:
            _cells(round_, by)
            _entries(round_, by)
        _rounds(rounds[0], by)


def _configurations(by: int) -> list[Configuration]:
    return Configuration.objects.bulk_create(
        Configuration(name=f"grown-{next(_numbers)}") for _ in range(by)
    )


def _cells(round_: Round, by: int) -> None:
    """Cells of every kind: delivered and blind, waiting for an operator, planned."""
    scene, now = round_.scenes[0], timezone.now()
    configurations = _configurations(by)
    cells = Cell.objects.bulk_create(
        Cell(round=round_, configuration=one, scene=scene, replicate=1) for one in configurations
    )
    clips = Clip.objects.bulk_create(
        Clip(sha256=f"{next(_numbers):064x}", size=1, facts={}) for _ in cells
    )
    prompt = Prompt.objects.first()
    samples = Sample.every.bulk_create(
        Sample(cell=cell, state=SampleState.DELIVERED, clip=clip, frozen_at=now, prompt=prompt)
        if number % 3
        else Sample(
            cell=cell, state=SampleState.BLOCKED, reason="asks", provider="local", prompt=prompt
        )
        for number, (cell, clip) in enumerate(zip(cells, clips, strict=True))
    )
    delivered = [sample for sample in samples if sample.clip_id]
    like = Stimulus.objects.filter(round=round_).first()
    stimuli = Stimulus.objects.bulk_create(
        Stimulus(round=round_, scene=scene, sha256=like.sha256, size=like.size, facts=like.facts)
        for _ in delivered
    )
    pairs = list(zip(stimuli, delivered, strict=True))
    BlindingKey.objects.bulk_create(
        BlindingKey(stimulus=stimulus, sample=sample) for stimulus, sample in pairs
    )
    copied = {
        "sha256": like.sha256,
        "size": like.size,
        "facts": like.facts,
        "technical": {},
        "proof": None,
    }
    BlindCopy.objects.bulk_create(
        BlindCopy(sample=sample, removed={}, **copied) for sample in delivered
    )
    _orders(round_, stimuli)


def _orders(round_: Round, stimuli: list[Stimulus]) -> None:
    now = timezone.now()
    form = AnswerSheet.objects.filter(stimulus__round=round_).values_list("form", flat=True).first()
    for member in CohortMember.objects.filter(round=round_).select_related("reviewer"):
        Assignment.objects.bulk_create(
            Assignment(member=member, stimulus=stimulus, position=next(_numbers))
            for stimulus in stimuli
        )
        if form and round_.state == RoundState.REVIEWING:
            AnswerSheet.objects.bulk_create(
                AnswerSheet(
                    reviewer=member.reviewer, stimulus=stimulus, form_id=form, started_at=now
                )
                for stimulus in stimuli[::3]
            )
            begun = AnswerSheet.objects.filter(
                reviewer=member.reviewer, stimulus__in=[one.pk for one in stimuli[::6]]
            )
            begun.update(unplayable_at=now, unplayable_reason="no picture")


def _entries(round_: Round, by: int) -> None:
    now = timezone.now()
    AuditEntry.objects.bulk_create(
        AuditEntry(
            sequence=number, at=now, actor="grown", action="something", round_name=round_.name,
            details={},
            previous_hash="0" * 64, hash=f"{number:064x}",
        )
        for number in (next(_numbers) for _ in range(by))
    )  # fmt: skip
    Job.objects.bulk_create(
        Job(
            kind="blind",
            subject=str(next(_numbers)),
            round_name=round_.name,
            due_at=now,
            state=JobState.FAILED,
            error="x",
        )
        for _ in range(by)
    )


def _rounds(like: Round, by: int) -> None:
    now = timezone.now()
    states = (RoundState.DRAFT, RoundState.GENERATING, RoundState.PUBLISHED)
    rounds = Round.objects.bulk_create(
        Round(
            name=f"grown-{next(_numbers)}", protocol=like.protocol, state=states[number % 3],
            published_at=now,
            opened_at=now if number % 3 == 2 else None,
            closed_at=now if number % 3 == 2 else None,
        )
        for number in range(by)
    )  # fmt: skip
    shown = Release.objects.select_related("round").first()
    documents = list(shown.documents.values_list("name", "content"))
    releases = Release.objects.bulk_create(
        _like(
            shown, round=round_, created_at=now - timedelta(days=1), digest=f"{next(_numbers):064x}"
        )
        for round_ in rounds
        if round_.state == RoundState.PUBLISHED
    )
    ReleaseDocument.objects.bulk_create(
        ReleaseDocument(release=release, name=name, content=content)
        for release in releases
        for name, content in documents
    )


def _like(row: Release, **changes: object) -> Release:
    fields = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.name != "id"
    }
    for name in changes:
        fields.pop(f"{name}_id", None)
    return Release(**fields | changes)
