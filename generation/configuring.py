"""Configurations in the database: loaded from their files, never changed once something was bought
with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet

from fartbench import audit
from generation.configurations.loader import FOLDER, Loaded, read_configurations
from generation.errors import ConfigurationInUse, UnknownConfiguration
from generation.models import Cell, Configuration, Family, Sample, SampleState


@dataclass
class LoadReport:
    """What loading did, by configuration name."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


@transaction.atomic
def load_configurations(*, folder: Path = FOLDER, actor: str) -> LoadReport:
    """Load every configuration of a folder. Loading the same again changes nothing.

    Raises ConfigurationError for a bad file, ConfigurationInUse for a changed one that clips exist
    of; then nothing was changed.
    """
    report = LoadReport()
    for loaded in read_configurations(folder):
        _store(loaded, report)
    if report.added or report.changed:
        audit.record(
            "configurations loaded", actor=actor, added=report.added, changed=report.changed
        )
    return report


def _store(loaded: Loaded, report: LoadReport) -> None:
    file = loaded.file
    row = Configuration.objects.filter(name=file.name).first()
    if row is not None and row.digest == loaded.digest:
        report.unchanged.append(file.name)
        return
    if row is not None and row.digest and _is_used(row):
        raise ConfigurationInUse(
            f"{file.name}: clips were bought with what its file said before. A changed "
            "configuration is another one: "
            "give the file a new name."
        )
    if row is not None and is_in_opened_round(Cell.objects.filter(configuration=row)):
        raise ConfigurationInUse(
            f"{file.name}: a round with this configuration was opened, so it can no longer change. "
            "Give the file a new name."
        )
    family, _ = Family.objects.get_or_create(
        name=file.family, defaults={"label": file.family_label}
    )
    Configuration.objects.update_or_create(
        name=file.name,
        defaults={
            "label": file.label,
            "family": family,
            "provider": file.provider,
            "model_id": file.model_id,
            "parameters": dict(file.parameters),
            "track": file.track,
            "geometry": file.geometry.model_dump() if file.geometry else None,
            "provisional": False,
            "content": loaded.content,
            "digest": loaded.digest,
        },
    )
    (report.changed if row else report.added).append(file.name)


def _is_used(row: Configuration) -> bool:
    untouched = (SampleState.PLANNED, SampleState.READY)
    return Sample.every.filter(cell__configuration=row).exclude(state__in=untouched).exists()


def is_in_opened_round(cells: QuerySet[Cell]) -> bool:
    """Say whether any of these cells is in a round that was opened: then what made its clips is
    fixed.
    """
    return cells.filter(round__opened_at__isnull=False).exists()


def named(names: Iterable[str]) -> list[Configuration]:
    """Return the configurations of these names, in their order. Raises UnknownConfiguration."""
    wanted = list(dict.fromkeys(names))
    rows = {row.name: row for row in Configuration.objects.filter(name__in=wanted)}
    if unknown := [name for name in wanted if name not in rows]:
        raise UnknownConfiguration(
            f"No configuration is called {unknown[0]!r}. Load files with “load_configurations”."
        )
    return [rows[name] for name in wanted]
