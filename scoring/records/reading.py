"""Reads a round from the database as columns, and refuses rows that are not what was opened or
locked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from blinding.models import BlindingKey, NotReviewable
from fartbench.models import AuditEntry, Round
from fartbench.protocol import digest_of
from fartbench.times import utc
from generation.models import Configuration, Sample
from generation.verdicts import review_record
from review.models import CohortMember, Retirement, Role
from scoring.errors import RoundAltered
from scoring.records import (
    NOT_REVIEWABLE,
    CellRecord,
    ConfigurationRecord,
    ReviewerRecord,
    RoundRecord,
)
from scoring.records.assignment import Outline
from scoring.records.judge_reading import read_judges
from scoring.records.rollout_reading import read_measurements, read_windows
from scoring.records.sheet_reading import read_sheets
from scoring.records.shown import Shown
from scoring.records.vote_reading import read_votes


def read_round(round_: Round) -> RoundRecord:
    """Read a round: its cells, its cohort and every locked sheet, in a fixed number of queries.

    Raises RoundAltered, naming what is wrong, when the protocol is not the one the round was opened
    on, the primary cohort is larger than the protocol allows, or a sheet is not what its reviewer
    locked.
    """
    refuse_other_protocol(round_)
    members = list(
        CohortMember.objects.filter(round=round_).select_related("reviewer").order_by("place")
    )
    refuse_large_cohort(round_, members)
    cells, samples = _cells(round_)
    place_of = {sample: place for place, (sample, _) in enumerate(cells)}
    records = tuple(cell for _, cell in cells)
    windows = read_windows(round_, place_of)
    shown = Shown.of(records, windows)
    return RoundRecord(
        name=round_.name,
        protocol=round_.protocol.rules,
        protocol_digest=round_.protocol.digest,
        scenes=tuple(round_.scenes),
        replicates=round_.replicates,
        seed=round_.seed,
        opened_at=utc(round_.opened_at),
        closed_at=utc(round_.closed_at),
        incomplete_reason=round_.incomplete_reason,
        cells=records,
        configurations=_configurations(samples),
        reviewers=tuple(ReviewerRecord(member.reviewer.code, member.role) for member in members),
        sheets=read_sheets(
            round_, shown, {member.reviewer_id: place for place, member in enumerate(members)}
        ),
        judges=read_judges(round_, shown),
        pair_votes=read_votes(round_),
        windows=windows,
        measurements=read_measurements(round_, place_of),
        verdicts=_verdicts(round_),
        secret=round_.secret,
    )


def read_outline(round_: Round) -> Outline:
    """Read what an opened round fixes, without its answers, as `read_round` reads it."""
    members = CohortMember.objects.filter(round=round_).order_by("place")
    cells, samples = _cells(round_)
    return Outline(
        name=round_.name,
        protocol_digest=round_.protocol.digest,
        scenes=tuple(round_.scenes),
        replicates=round_.replicates,
        seed=round_.seed,
        opened_at=utc(round_.opened_at),
        configurations=_configurations(samples),
        cells=tuple(cell for _, cell in cells),
        windows=read_windows(round_, {sample: place for place, (sample, _) in enumerate(cells)}),
        reviewers=tuple(
            ReviewerRecord(code, role)
            for code, role in members.values_list("reviewer__code", "role")
        ),
    )


def _verdicts(round_: Round) -> dict[str, Any]:
    """Return what experts said of the round's scenarios.

    Who went on without them is not named, only why.
    """
    if round_.protocol.rules.rollouts is None:
        return {}
    found = review_record(round_)
    waived = found.get("waived")
    return {**found, "waived": {"reason": waived["reason"], "at": waived["at"]} if waived else None}


def refuse_other_protocol(round_: Round) -> None:
    """Raise RoundAltered unless the stored protocol is the one that its digest names and the round
    was opened on.
    """
    protocol = round_.protocol
    if (found := digest_of(protocol.content)) != protocol.digest:
        raise RoundAltered(
            round_.name,
            [
                f"protocol {protocol}: its content has SHA-256 {found}, and {protocol.digest} was "
                "loaded"
            ],
        )
    opened = AuditEntry.objects.filter(action="round opened", round_name=round_.name).first()
    if opened is not None and opened.details.get("digest") != protocol.digest:
        raise RoundAltered(
            round_.name,
            [
                f"protocol {protocol} has SHA-256 {protocol.digest}; the round was opened on "
                f"{opened.details['digest']}"
            ],
        )


def refuse_large_cohort(round_: Round, members: list[CohortMember]) -> None:
    """Raise RoundAltered when more reviewers are primary than the protocol's cohort has."""
    size, sizes = round_.protocol.rules.cohort.most, round_.protocol.rules.cohort.sizes
    primary = [member.reviewer.code for member in members if member.role == Role.PRIMARY]
    if len(primary) > size:
        words = (
            f"its primary cohort has {len(primary)} reviewers ({', '.join(primary)}); the protocol "
            f"says {sizes}"
        )
        raise RoundAltered(round_.name, [words])


def _cells(round_: Round) -> tuple[list[tuple[int, CellRecord]], QuerySet[Sample]]:
    """Return each cell with the key of its sample, in order; it has a stimulus where clips are
    shown whole.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_, stimulus__unit="")
    live = {
        sample: (stimulus, sha256)
        for sample, stimulus, sha256 in keys.filter(stimulus__retirement=None).values_list(
            "sample_id", "stimulus_id", "stimulus__sha256"
        )
    }
    unreviewable = dict(
        NotReviewable.objects.filter(sample__cell__round=round_).values_list("sample_id", "reason")
    ) | dict(
        keys.filter(stimulus__retirement__outcome=Retirement.Outcome.NOT_REVIEWABLE).values_list(
            "sample_id", "stimulus__retirement__reason"
        )
    )
    samples = Sample.objects.filter(cell__round=round_)
    order = {scene: place for place, scene in enumerate(round_.scenes)}
    rows = samples.values_list(
        "pk", "cell__configuration__name", "cell__scene", "cell__replicate", "state", "reason",
        "clip__sha256",
        "cost_usd", "generation_seed", "model_version", "generated_at", "cost_basis",
        "cell__limitation", "origin",
    )  # fmt: skip
    found = [(row[0], _cell(row, live, unreviewable)) for row in rows.iterator()]
    if strange := [str(cell) for _, cell in found if cell.scene not in order]:
        raise RoundAltered(
            round_.name, [f"cell {cell}: the round has no such scene" for cell in strange]
        )
    return sorted(
        found, key=lambda one: (one[1].configuration, order[one[1].scene], one[1].replicate)
    ), samples


def _cell(
    row: Any, live: Mapping[int, tuple[str, str]], unreviewable: Mapping[int, str]
) -> CellRecord:
    (
        sample,
        configuration,
        scene,
        replicate,
        state,
        reason,
        raw,
        cost,
        seed,
        version,
        at,
        basis,
        limitation,
        origin,
    ) = row
    stimulus, blind = live.get(sample, ("", ""))
    if not stimulus and sample in unreviewable:
        state, reason = NOT_REVIEWABLE, unreviewable[sample]
    return CellRecord(
        configuration=configuration,
        scene=scene,
        replicate=replicate,
        outcome=str(state),
        reason=reason,
        stimulus=stimulus,
        raw_sha256=raw or "",
        blind_sha256=blind,
        cost_usd="" if cost is None else f"{cost:.6f}",
        seed=seed,
        model_version=version,
        generated_at=utc(at),
        cost_basis=basis,
        limitation=limitation,
        origin=origin,
    )


def _configurations(samples: QuerySet[Sample]) -> tuple[ConfigurationRecord, ...]:
    used = Configuration.objects.filter(pk__in=samples.values("cell__configuration"))
    rows = used.order_by("name").values_list(
        "name", "label", "family__name", "provider", "model_id", "track", "provisional"
    )
    return tuple(
        ConfigurationRecord(name, label, family or "", provider, model_id, track, provisional)
        for name, label, family, provider, model_id, track, provisional in rows
    )
