"""Brings an installation to this version."""

from typing import Any

from django.conf import settings
from django.core.management import call_command

from fartbench import writeonce
from fartbench.commands import Command as Base


class Command(Base):
    help = (
        "Install, or bring to this version: tables and their guards, static files, bucket. Can be "
        "run again."
    )
    needs_database = False  # the tables are made here
    requires_system_checks = ()

    def run(self, **_options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        self.say(
            f"The tables are of this version, and guarded ({len(writeonce.missing())} guards "
            "missing)."
        )
        call_command("collectstatic", interactive=False, verbosity=0)
        self.say(f"Static files lie in {settings.STATIC_ROOT}.")
        if "bucket" in settings.STORAGES:
            from fartbench.buckets import make_bucket  # noqa: PLC0415 - loads an SDK that most installations do without

            self.say("The bucket was made." if make_bucket() else "The bucket is there.")
