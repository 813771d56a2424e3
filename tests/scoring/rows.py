"""Rounds with configurations behind their stimuli, as rows: what pages, scores and steps read,
without real clips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from django.utils import timezone

from blinding.models import BlindingKey
from fartbench.models import ProtocolVersion, Round, RoundState
from generation.cells import configuration_named, lay_out
from generation.models import Clip, Sample, SampleState
from review.models import Source
from review.services import SheetEntry, enter_sheets
from rounds import opening as rounds
from scoring.models import Release
from tests.factories import answers, make_cohort, make_round, make_stimulus, reviewers_of

Cell = tuple[str, str]  # configuration, scene
_numbers = count(1)


def make_filled_round(
    *,
    name: str = "",
    configurations: Iterable[str] = ("alpha", "beta"),
    scenes: list[str] | None = None,
    refused: Mapping[Cell, str] | None = None,
    cohort: bool = True,
    protocol: ProtocolVersion | None = None,
    clips: Iterable[bytes] = (),
    replicates: int = 1,
    origin: str = "",
) -> Round:
    """Return a round whose cells all have an outcome and a blind copy, with a cohort, ready to be
    opened.

    ``clips`` are the bytes of the blind copies in turn; without any they are all alike. ``origin``
    says where the clips come from.
    """
    round_ = make_round(name=name, scenes=scenes, protocol=protocol)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.BLINDING, replicates=replicates)
    round_.refresh_from_db()
    for configuration in configurations:
        lay_out(round_, configuration_named(configuration)[0])
    data = iter(clips)
    Sample.objects.filter(cell__round=round_).update(origin=origin)
    for sample in Sample.objects.filter(cell__round=round_).select_related("cell__configuration"):
        _settle(
            sample,
            (refused or {}).get((sample.cell.configuration.name, sample.cell.scene), ""),
            data,
        )
    if cohort:
        make_cohort(round_)
    return round_


def _settle(sample: Sample, refusal: str, clips: Iterator[bytes]) -> None:
    if refusal:
        sample.state, sample.reason = SampleState.REFUSED, refusal
        sample.save()
        return
    sample.state, sample.frozen_at = SampleState.DELIVERED, timezone.now()
    sample.clip = Clip.objects.create(sha256=f"{next(_numbers):064x}", size=1, facts={})
    sample.save()
    stimulus = make_stimulus(sample.cell.round, scene=sample.cell.scene, data=next(clips, None))
    BlindingKey.objects.create(stimulus=stimulus, sample=sample)


def make_open_round(**wanted: object) -> Round:
    """Return such a round, open for review, nothing answered yet."""
    round_ = make_filled_round(**wanted)  # type: ignore[arg-type]
    rounds.open_round(round_=round_, actor="test")
    return round_


def answer_all(
    round_: Round,
    changes: Mapping[Cell, Mapping[str, str]] | None = None,
    *,
    source: str = Source.BROWSER,
) -> None:
    """Lock a sheet of every reviewer on every clip: all right, but for ``changes`` by configuration
    and scene.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "stimulus", "sample__cell__configuration"
    )
    enter_sheets(
        round=round_,
        source=source,
        entries=[
            SheetEntry(
                reviewer,
                key.stimulus,
                answers(
                    **(changes or {}).get(
                        (key.sample.cell.configuration.name, key.stimulus.scene), {}
                    )
                ),
            )
            for key in keys
            for reviewer in reviewers_of(round_)
        ],
    )


def make_locked_round(
    changes: Mapping[Cell, Mapping[str, str]] | None = None,
    *,
    source: str = Source.BROWSER,
    **wanted: object,
) -> Round:
    """Return a round that was answered as a whole and closed."""
    round_ = make_open_round(**wanted)
    answer_all(round_, changes, source=source)
    rounds.close_round(round_=round_, actor="test")
    return round_


def make_published_round(
    changes: Mapping[Cell, Mapping[str, str]] | None = None,
    *,
    source: str = Source.BROWSER,
    **wanted: object,
) -> Release:
    """Return the release of a round that was answered as a whole, closed and published."""
    return rounds.publish(round_=make_locked_round(changes, source=source, **wanted), actor="test")
