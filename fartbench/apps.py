"""The foundation app: guards before and after migrations, system checks, the Celery app."""

from pathlib import Path
from typing import Any

from django.apps import AppConfig, apps
from django.core.management import CommandError
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate

from fartbench import storage, writeonce

# What a step of a round set stays as it is, and no later state becomes an earlier one.
_ROUND_GOES_BACK = """
  (OLD.opened_at IS NOT NULL AND (NEW.opened_at <> OLD.opened_at
    OR NEW.state IN ('draft', 'generating', 'blinding')
    OR NEW.normalised_because <> OLD.normalised_because))
  OR (OLD.closed_at IS NOT NULL AND (NEW.closed_at IS NULL OR NEW.closed_at <> OLD.closed_at
    OR NEW.incomplete_reason <> OLD.incomplete_reason OR NEW.state NOT IN ('locked', 'published')))
  OR (OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL
    OR NEW.published_at <> OLD.published_at OR NEW.state <> 'published'))"""


class FartbenchConfig(AppConfig):
    name = "fartbench"
    verbose_name = "FARTBench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import accounts, checks, jobs, sessions  # noqa: F401, PLC0415 - importing registers them

        jobs.wake_with("fartbench.tasks.wake_for")

        writeonce.register(
            *writeonce.never_changes("fartbench_auditentry"),
            writeonce.Guard(
                "protocol_content_is_kept",
                "fartbench_protocolversion",
                "UPDATE",
                "NEW.name <> OLD.name OR NEW.version <> OLD.version OR NEW.digest <> OLD.digest "
                "OR CAST(NEW.content AS TEXT) <> CAST(OLD.content AS TEXT) "
                "OR (OLD.frozen_at IS NOT NULL AND (NEW.frozen_at IS NULL OR NEW.frozen_at <> "
                "OLD.frozen_at))",
            ),
            writeonce.Guard(
                "frozen_protocol_is_kept",
                "fartbench_protocolversion",
                "DELETE",
                "OLD.frozen_at IS NOT NULL",
            ),
            writeonce.Guard(
                "opened_round_keeps_its_protocol",
                "fartbench_round",
                "UPDATE",
                "OLD.opened_at IS NOT NULL AND (NEW.protocol_id <> OLD.protocol_id OR NEW.name <> "
                "OLD.name "
                "OR NEW.secret_sha256 <> OLD.secret_sha256 OR (OLD.secret <> '' AND NEW.secret <> "
                "OLD.secret) "
                "OR NEW.seed <> OLD.seed OR NEW.replicates <> OLD.replicates OR NEW.opened_at IS "
                "NULL "
                "OR CAST(NEW.scene_keys AS TEXT) <> CAST(OLD.scene_keys AS TEXT) "
                "OR CAST(NEW.unit_plan AS TEXT) <> CAST(OLD.unit_plan AS TEXT))",
            ),
            writeonce.Guard(
                "opened_round_is_kept", "fartbench_round", "DELETE", "OLD.opened_at IS NOT NULL"
            ),
            writeonce.Guard("round_goes_one_way", "fartbench_round", "UPDATE", _ROUND_GOES_BACK),
            # The newest link only ever moves to the next one.
            writeonce.Guard(
                "audit_head_goes_on",
                "fartbench_audithead",
                "UPDATE",
                "NEW.sequence <> OLD.sequence + 1",
            ),
            writeonce.Guard("audit_head_is_kept", "fartbench_audithead", "DELETE"),
        )
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
