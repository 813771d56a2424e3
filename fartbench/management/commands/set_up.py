"""Brings an installation to this version."""

import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection

from fartbench import writeonce
from fartbench.commands import Command as Base
from fartbench.database_roles import as_owner

PATIENCE_S = 60


def wait_for_database() -> None:
    """Wait until the database answers: on the first start of all it may take its time.

    Raises OperationalError when it does not within PATIENCE_S seconds.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with as_owner():
                connection.ensure_connection()
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


class Command(Base):
    help = (
        "Install, or bring to this version: tables and their guards, static files, bucket. Can be "
        "run again."
    )
    needs_database = False  # the tables are made here
    requires_system_checks = ()

    def run(self, **_options: Any) -> None:
        wait_for_database()
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
