"""The foundation app: guards before and after migrations, system checks, the Celery app."""

from pathlib import Path
from typing import Any

from django.apps import AppConfig, apps
from django.core.management import CommandError
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate

from fartbench import guards, service_access, storage, writeonce


class FartbenchConfig(AppConfig):
    name = "fartbench"
    verbose_name = "FARTBench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import (  # noqa: PLC0415 - importing registers some of them
            accounts,  # noqa: F401
            checks,  # noqa: F401
            entered_keys,
            jobs,
            sessions,  # noqa: F401
        )

        jobs.wake_with("fartbench.tasks.wake_for")
        service_access.read_entered_with(entered_keys.entered_values)

        writeonce.register(*guards.ALL)
        pre_migrate.connect(_drop_guards, sender=self)
        post_migrate.connect(_install_guards, dispatch_uid="fartbench.guards")
        post_migrate.connect(_shut_to_others, sender=self)


# Rows that no migration may take away: what people locked, and what was published of it.
_NEVER_LOST = {
    "review_answersheet": "locked_at IS NOT NULL",
    "review_vote": "locked_at IS NOT NULL",
    "scoring_release": "TRUE",
}


def _drop_guards(*, using: str, plan: list[tuple[Any, bool]], **_: Any) -> None:
    if any(backwards for _, backwards in plan):
        _refuse_to_lose_answers(using)
    if plan:
        writeonce.uninstall(using=using)


def _refuse_to_lose_answers(using: str) -> None:
    """Raise CommandError when a migration backwards could remove what people locked or what was
    published.
    """
    database = connections[using]
    with database.cursor() as cursor:
        for table in _NEVER_LOST.keys() & set(database.introspection.table_names(cursor)):
            cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE {_NEVER_LOST[table]}")  # noqa: S608 - our own names
            if count := cursor.fetchone()[0]:
                raise CommandError(
                    f"A migration backwards could remove locked answers and releases: {table} has "
                    f"{count}. Nothing was "
                    "changed. To go back to an older version, restore a backup of it into an empty "
                    "installation."
                )


def _install_guards(*, sender: AppConfig, using: str, **_: Any) -> None:
    # post_migrate is sent once per app that has models; the last one finds every table there.
    if sender is [config for config in apps.get_app_configs() if config.models_module][-1]:
        writeonce.install(using=using)


def _shut_to_others(*, using: str, **_: Any) -> None:
    database = connections[using]
    storage.level_times()
    storage.shut_to_others(
        Path(database.settings_dict["NAME"]) if database.vendor == "sqlite" else None
    )
