"""The cells of a round: laying them out, and setting an outcome by hand."""

from __future__ import annotations

from django.db import transaction

from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.rounds import move, where_it_stands
from fartbench.wording import has_control_characters
from generation.errors import CellRefused, ClipsAreSettled
from generation.manifest import CellKey, fault_of_configuration
from generation.models import Cell, Configuration, Sample, SampleState

# While a round is in one of these states its cells can still be filled.
COLLECTING = (RoundState.DRAFT, RoundState.GENERATING, RoundState.BLINDING)


def refuse_when_settled(round_: Round) -> None:
    """Raise ClipsAreSettled when the round has been opened: its clips are fixed then."""
    if round_.state not in COLLECTING:
        raise ClipsAreSettled(
            f"The clips of a round are fixed when it opens. {where_it_stands(round_)}"
        )


def configuration_named(name: str) -> tuple[Configuration, bool]:
    """Return the configuration of this name, made as a provisional one when it is new, and whether
    it was made.

    Raises CellRefused for a new one with a name that none can have.
    """
    known = Configuration.objects.filter(name=name).exists()
    if not known and (fault := fault_of_configuration(name)):
        raise CellRefused(f"The configuration {fault}.")
    return Configuration.objects.get_or_create(
        name=name, defaults={"label": name, "provisional": True}
    )


def lay_out(round_: Round, configuration: Configuration) -> None:
    """Give the configuration all its cells in the round, each with a sample that waits for its
    outcome.
    """
    there = {
        (cell.scene, cell.replicate)
        for cell in Cell.objects.filter(round=round_, configuration=configuration)
    }
    wanted = [
        (scene, replicate)
        for scene in round_.scenes
        for replicate in range(1, round_.replicates + 1)
    ]
    cells = Cell.objects.bulk_create(
        Cell(round=round_, configuration=configuration, scene=scene, replicate=replicate)
        for scene, replicate in wanted
        if (scene, replicate) not in there
    )
    Sample.every.bulk_create(Sample(cell=cell) for cell in cells)


def begin_collecting(round_: Round) -> None:
    """Move a draft to “collecting clips”; a round that is further along stays where it is."""
    if round_.state == RoundState.DRAFT:
        move(round_, to=RoundState.GENERATING, within=(RoundState.DRAFT,))


def samples_of(round_: Round) -> dict[CellKey, Sample]:
    """Return every sample of the round by its cell, clips loaded."""
    samples = Sample.objects.filter(cell__round=round_).select_related(
        "cell__configuration", "clip"
    )
    return {
        CellKey(sample.cell.configuration.name, sample.cell.scene, sample.cell.replicate): sample
        for sample in samples
    }


@transaction.atomic
def mark_cell(
    *, round_: Round, cell: CellKey, state: SampleState, reason: str, actor: str
) -> Sample:
    """Set the outcome of a cell that brought no clip. The same outcome and reason again change
    nothing.

    Raises CellRefused for a cell that the round does not have, an empty reason, or a cell that has
    an outcome.
    """
    refuse_when_settled(round_)
    if not reason.strip():
        raise CellRefused(f"Say why {cell} is “{state.label}”: the reason is empty.")
    if has_control_characters(reason):
        raise CellRefused(f"The reason of {cell} holds a control character. Write it without.")
    if cell.scene not in round_.scenes or not 1 <= cell.replicate <= round_.replicates:
        raise CellRefused(
            f"Round {round_.name!r} has no cell {cell}: its scenes are {', '.join(round_.scenes)}, "
            f"with replicates 1 to {round_.replicates}."
        )
    configuration, _ = configuration_named(cell.configuration)
    lay_out(round_, configuration)
    sample = samples_of(round_)[cell]
    if sample.has_outcome and (sample.state, sample.reason) == (state, reason):
        return sample
    _refuse_outcome(sample, cell)
    sample.state, sample.reason = state, reason
    sample.save()
    begin_collecting(round_)
    audit.record(
        "cell marked",
        actor=actor,
        round_name=round_.name,
        cell=str(cell),
        outcome=state,
        reason=reason,
    )
    return sample


def _refuse_outcome(sample: Sample, cell: CellKey) -> None:
    state = sample.get_state_display()
    if sample.has_outcome:
        raise CellRefused(f"{cell} is “{state}” already; a result is not changed by hand.")
    if not sample.at_rest:
        raise CellRefused(f"{cell} is “{state}”: work on it is under way, and may bring a result.")


@transaction.atomic
def note_limitation(*, round_: Round, cell: CellKey, note: str, actor: str) -> Cell:
    """Keep why a cell cannot be compared with others, such as a provider's safety system; an empty
    note takes it back.

    It is shown beside the cell's result and changes no figure. Raises CellRefused for a cell that
    the round does not have, or once the round is published.
    """
    if round_.state == RoundState.PUBLISHED:
        raise CellRefused(
            f"Round {round_.name!r} is published: what it says of its cells is frozen in its "
            "release."
        )
    if has_control_characters(note):
        raise CellRefused("The note holds a control character. Write it without.")
    row = Cell.objects.filter(
        round=round_,
        configuration__name=cell.configuration,
        scene=cell.scene,
        replicate=cell.replicate,
    ).first()
    if row is None:
        raise CellRefused(
            f"Round {round_.name!r} has no cell {cell} yet: import its clip, mark it or commission "
            "it."
        )
    if row.limitation != note.strip():
        row.limitation = note.strip()
        row.save(update_fields=["limitation"])
        audit.record(
            "cell limited",
            actor=actor,
            round_name=round_.name,
            cell=str(cell),
            note=row.limitation,
        )
    return row
