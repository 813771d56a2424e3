"""Putting a backup into an empty installation, on the database engine that this one has."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.apps.registry import Apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from fartbench import audit, writeonce
from fartbench.models import Round, RoundState
from fartbench.storage import disk_faults_in_words
from generation.operating import set_paused
from operations.backup.folder import (
    BackupList,
    file_of,
    finished_or_nothing,
    kept,
    read_list,
    stores,
    take_in,
)
from operations.backup.rows import (
    LEFT_OUT,
    MADE_BY_DJANGO,
    TableFile,
    check_table,
    count_on,
    empty_table,
    read_table,
    tables,
)
from operations.errors import BackupRefused, InstallationInUse
from scoring.release.verifying import release_faults

RESTORED = "restored from backup"


@dataclass(frozen=True)
class Restored:
    """What was restored, and what the backup lacked."""

    rows: int
    files: int
    missing: list[str] = field(default_factory=list)
    paused: list[str] = field(default_factory=list)


def restore(
    folder: Path,
    *,
    actor: str,
    incomplete: bool = False,
    on_file: Callable[[], None] = lambda: None,
) -> Restored:
    """Restore the backup in ``folder``. Rounds that buy clips are paused: what was bought since is
    not known here.

    Everything is looked at before anything is changed, files come before rows, and all rows in one
    transaction: a restore that was interrupted is run again. Raises BackupRefused when the backup
    is damaged, or lacks files and ``incomplete`` does not allow it, and InstallationInUse when
    there are rows already.
    """
    listed, content = read_list(folder), folder.parent / "content"
    refuse_damaged(folder, listed)
    missing = [*listed.missing, *_missing(content, listed, on_file)]
    if missing and not incomplete:
        raise BackupRefused(folder, [f"{file} is missing or damaged" for file in missing])
    _refuse_in_use()
    with disk_faults_in_words(Path(settings.DATA_DIR)):
        _restore_files(content, listed, on_file)
        _restore_releases(content, listed)
    _restore_rows(folder, listed)
    paused = _pause(actor, folder.name)
    files = sum(len(names) for names in listed.content.values())
    return Restored(sum(table.rows for table in listed.tables.values()), files, missing, paused)


def refuse_damaged(folder: Path, listed: BackupList) -> None:
    """Raise BackupRefused unless every table is as it was written, and this program knows its
    shape.
    """
    faults = [
        f"the table {name} is missing or damaged"
        for name, table in listed.tables.items()
        if _checked(folder / file_of(name)) != table
    ]
    known = {tuple(node) for node in MigrationExecutor(connection).loader.disk_migrations}
    faults += [
        f"it was made by a program with the migration {app}.{name}, which this one does not have: "
        "use that version"
        for app, name in listed.migrations
        if (app, name) not in known
    ]
    if faults:
        raise BackupRefused(folder, faults)


def _checked(path: Path) -> TableFile | None:
    try:
        return check_table(path)
    except (OSError, EOFError, zlib.error):
        return None


def _missing(content: Path, listed: BackupList, on_file: Callable[[], None]) -> Iterator[str]:
    for kind, names in listed.content.items():
        for sha256 in names:
            entry = f"{kind}: {sha256}"
            if entry not in listed.missing and kept(content, kind).stored_sha256(sha256) != sha256:
                yield entry
            on_file()
    for release, digest in listed.releases.items():
        if list(release_faults(content / "releases" / digest, digest)):
            yield f"release: {release}"


def _refuse_in_use() -> None:
    """Raise InstallationInUse when any table of the program has rows that a fresh installation
    would not have.
    """
    there = set(connection.introspection.table_names())
    for name, model in tables(MigrationExecutor(connection).loader.project_state().apps).items():
        if (
            model._meta.db_table in there
            and name not in (*MADE_BY_DJANGO, *LEFT_OUT)
            and model._base_manager.exists()
        ):
            raise InstallationInUse(
                f"This installation already has rows ({name}). Restore into an empty one: another "
                "DATABASE_URL and "
                "another DATA_DIR. Nothing was changed."
            )


def _restore_files(content: Path, listed: BackupList, on_file: Callable[[], None]) -> None:
    for kind, store in stores().items():
        for sha256 in listed.content.get(kind, []):
            take_in(kept(content, kind).path(sha256), store, sha256)
            on_file()


def _restore_releases(content: Path, listed: BackupList) -> None:
    for release, digest in listed.releases.items():
        source, target = content / "releases" / digest, _target_of(release)
        if source.is_dir() and list(release_faults(target, digest)):
            with finished_or_nothing(target) as work:
                shutil.copytree(source, work, dirs_exist_ok=True)
                shutil.rmtree(target, ignore_errors=True)


def _target_of(release: str) -> Path:
    """Return where a release is restored to.

    Raises BackupRefused when that is not below the folder of releases.
    """
    releases = Path(settings.DATA_DIR) / "releases"
    target = releases / release
    if target.resolve().parent.parent != releases.resolve():
        raise BackupRefused(
            target, [f"the release {release!r} would be written outside of {releases}"]
        )
    return target


def _restore_rows(folder: Path, listed: BackupList) -> None:
    """Bring the tables to the shape they had, insert the rows, and go on to this program's
    shape.
    """
    executor = MigrationExecutor(connection)
    nodes = [(app, name) for app, name in listed.migrations]
    if not executor.loader.applied_migrations:
        executor.migrate(_newest_of_each_app(executor, nodes))
    elif set(executor.loader.applied_migrations) != set(nodes):
        raise InstallationInUse(
            "The database has tables of another version than the backup's. Restore into an empty "
            "database, without "
            "“migrate” before: the tables are made as they were, and brought up to date then. "
            "Nothing was changed."
        )
    models = tables(_apps_as_of(nodes))
    with transaction.atomic():
        writeonce.uninstall()
        for model in models.values():
            empty_table(model)
        for name in (listed.tables.keys() & models.keys()) - set(LEFT_OUT):
            with odd_rows_in_words(folder, f"the table {name}"):
                read_table(models[name], folder / file_of(name))
        count_on(models.values())
        with odd_rows_in_words(folder, "what it holds"):
            connection.check_constraints()
        _refuse_odd_rounds(folder, models["fartbench.round"])
        if set(nodes) == set(executor.loader.disk_migrations):
            writeonce.install()
    call_command(
        "migrate", verbosity=0, interactive=False
    )  # to this program's shape, with its guards
    ContentType.objects.clear_cache()


@contextmanager
def odd_rows_in_words(folder: Path, what: str) -> Iterator[None]:
    """Raise BackupRefused for rows that this program never wrote."""
    try:
        yield
    except (LookupError, TypeError, ValueError, ValidationError, DatabaseError) as error:
        raise BackupRefused(folder, [f"{what} cannot be restored: {error}"]) from error


def _refuse_odd_rounds(folder: Path, rounds: type[Model]) -> None:
    """Raise BackupRefused for the name of a round that could lead out of the folder of releases."""
    for name in rounds._base_manager.values_list("name", flat=True):
        with odd_rows_in_words(folder, f"the round {name!r}"):
            Round._meta.get_field("name").run_validators(name)


def _newest_of_each_app(
    executor: MigrationExecutor, nodes: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    graph = executor.loader.graph.node_map
    followed = {
        parent.key for node in nodes for parent in graph[node].parents if parent.key[0] == node[0]
    }
    return [node for node in nodes if node not in followed]


def _apps_as_of(nodes: list[tuple[str, str]]) -> Apps:
    return MigrationExecutor(connection).loader.project_state(nodes).apps


def _pause(actor: str, name: str) -> list[str]:
    with transaction.atomic():
        audit.record(RESTORED, actor=actor, name=name)
    rounds = Round.objects.filter(
        state__in=(RoundState.DRAFT, RoundState.GENERATING), commissioning__isnull=False
    )
    for round_ in rounds.order_by("pk"):
        set_paused(round_=round_, paused=True, actor=actor)
    return [round_.name for round_ in rounds.order_by("pk")]
