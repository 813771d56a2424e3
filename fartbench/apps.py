"""The foundation app: guards before and after migrations, system checks, the Celery app."""

from pathlib import Path
from typing import Any

from django.apps import AppConfig, apps
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate

from fartbench import storage, writeonce


class FartbenchConfig(AppConfig):
    name = "fartbench"
    verbose_name = "FARTBench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import celery, checks, sessions  # noqa: F401, PLC0415 - importing registers them; all need loaded apps

        writeonce.register(
            *writeonce.never_changes("fartbench_auditentry"),
            writeonce.Guard(
                "protocol_content_is_kept",
                "fartbench_protocolversion",
                "UPDATE",
                "NEW.name <> OLD.name OR NEW.version <> OLD.version OR NEW.digest <> OLD.digest "
                "OR CAST(NEW.content AS TEXT) <> CAST(OLD.content AS TEXT) "
                "OR (OLD.frozen_at IS NOT NULL AND (NEW.frozen_at IS NULL OR NEW.frozen_at <> OLD.frozen_at))",
            ),
            writeonce.Guard(
                "frozen_protocol_is_kept", "fartbench_protocolversion", "DELETE", "OLD.frozen_at IS NOT NULL"
            ),
            writeonce.Guard(
                "opened_round_keeps_its_protocol",
                "fartbench_round",
                "UPDATE",
                "OLD.opened_at IS NOT NULL AND (NEW.protocol_id <> OLD.protocol_id OR NEW.name <> OLD.name "
                "OR NEW.seed <> OLD.seed OR NEW.replicates <> OLD.replicates OR NEW.opened_at IS NULL "
                "OR CAST(NEW.scene_keys AS TEXT) <> CAST(OLD.scene_keys AS TEXT) "
                "OR CAST(NEW.unit_plan AS TEXT) <> CAST(OLD.unit_plan AS TEXT))",
            ),
            writeonce.Guard("opened_round_is_kept", "fartbench_round", "DELETE", "OLD.opened_at IS NOT NULL"),
        )
        pre_migrate.connect(_drop_guards, sender=self)
        post_migrate.connect(_install_guards, dispatch_uid="fartbench.guards")
        post_migrate.connect(_shut_to_others, sender=self)


def _drop_guards(*, using: str, plan: list[Any], **_: Any) -> None:
    if plan:
        writeonce.uninstall(using=using)


def _install_guards(*, sender: AppConfig, using: str, **_: Any) -> None:
    # post_migrate is sent once per app that has models; the last one finds every table there.
    if sender is [config for config in apps.get_app_configs() if config.models_module][-1]:
        writeonce.install(using=using)


def _shut_to_others(*, using: str, **_: Any) -> None:
    database = connections[using]
    storage.shut_to_others(Path(database.settings_dict["NAME"]) if database.vendor == "sqlite" else None)
