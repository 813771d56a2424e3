"""Steps about the clips of a round."""

from __future__ import annotations

from collections.abc import Iterator

from blinding.models import NotReviewable
from blinding.selectors import without_copy
from blinding.services import exclude_clip
from fartbench.models import Round
from generation.cells import mark_cell, samples_of
from generation.errors import CellRefused
from generation.manifest import CellKey
from generation.models import Sample, SampleState
from rounds.step import BEFORE_OPENING, COPYING, WHY, Done, Field, Step, Values

IMPORT_CLIPS = Step(
    "import_clips",
    "Import {clip}s",
    "Takes in {clip}s and outcomes that were made elsewhere, from a manifest.",
    BEFORE_OPENING,
)


def _waiting(round_: Round) -> Iterator[str]:
    cells = Sample.objects.filter(cell__round=round_).select_related("cell__configuration")
    return (str(sample.cell) for sample in cells if not sample.has_outcome)


def _has_waiting(round_: Round) -> bool:
    samples = Sample.objects.filter(cell__round=round_)
    return samples.exclude(state__in=SampleState.outcomes()).exists()


def _mark_cell(round_: Round, actor: str, values: Values) -> Done:
    cell = values["cell"]
    state, reason = SampleState(values["outcome"]), values["reason"]
    mark_cell(round_=round_, cell=cell, state=state, reason=reason, actor=actor)
    return Done(f"{cell} is “{state.label}”: {reason}")


def _is_marked(round_: Round, values: Values) -> Done | None:
    sample = samples_of(round_).get(values["cell"])
    wanted = (values["outcome"], values["reason"])
    if sample is None or (sample.state, sample.reason) != wanted:
        return None
    return Done(f"{values['cell']} is “{sample.get_state_display()}” already.")


MARK_CELL = Step(
    "mark_cell",
    "Set the outcome of a cell",
    "For a cell that brought no {clip}. A result is not changed by hand later.",
    BEFORE_OPENING,
    _mark_cell,
    (
        Field("cell", "Cell", "cell", choices=_waiting),
        Field("outcome", "Outcome", "outcome"),
        WHY,
    ),
    done=_is_marked,
    offered=_has_waiting,
)


def _without_copy(round_: Round) -> Iterator[str]:
    return (str(sample.cell) for sample in without_copy(round_))


def _sample(round_: Round, cell: CellKey) -> Sample:
    sample = samples_of(round_).get(cell)
    if sample is None:
        raise CellRefused(f"Round {round_.name!r} has no cell {cell}.")
    return sample


def _exclude_clip(round_: Round, actor: str, values: Values) -> Done:
    sample = _sample(round_, values["cell"])
    exclude_clip(round_=round_, sample=sample, reason=values["reason"], actor=actor)
    return Done(f"{values['cell']} is not reviewable: {values['reason']}")


def _is_excluded(round_: Round, values: Values) -> Done | None:
    sample = samples_of(round_).get(values["cell"])
    if sample is None or not NotReviewable.objects.filter(sample=sample).exists():
        return None
    return Done(f"{values['cell']} is left out already.")


EXCLUDE_CLIP = Step(
    "exclude_clip",
    "Leave a {clip} out",
    "For a {clip} that no blind copy can be made of. It is counted as not reviewable and its "
    "configuration is listed unranked.",
    COPYING,
    _exclude_clip,
    (Field("cell", "Cell", "cell", choices=_without_copy), WHY),
    done=_is_excluded,
    offered=lambda round_: bool(without_copy(round_)),
    place="blinding",
)
