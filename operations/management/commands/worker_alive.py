"""Says whether this machine's workers live."""

import socket
from datetime import timedelta
from typing import Any

from django.utils import timezone

from fartbench.commands import Command as Base
from fartbench.models import WorkerBeat
from operations.errors import WorkerSilent

SILENT = timedelta(minutes=2)


class Command(Base):
    help = (
        "Say whether a Celery worker of this machine was seen lately: a container's health check."
    )

    def run(self, **_options: Any) -> None:
        host = socket.gethostname()
        since = timezone.now() - SILENT
        if not WorkerBeat.objects.filter(name=f"celery@{host}", seen_at__gte=since).exists():
            raise WorkerSilent(host)
        self.say(f"A worker of {host} was seen within two minutes.")
