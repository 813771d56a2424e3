"""The Celery app: its messages only wake workers, rows are the truth."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from kombu.exceptions import OperationalError

from fartbench.weak import refuse_weak_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fartbench.settings")

app = Celery("fartbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Threads of a web server would otherwise see an unconfigured app.
app.set_default()
app.autodiscover_tasks()


@worker_init.connect
def refuse_to_start_with_weak_settings(**_: Any) -> None:
    """Let no worker start with settings that would leave the installation open."""
    try:
        refuse_weak_settings()
    except ImproperlyConfigured as fault:  # Celery would only log it
        raise SystemExit(str(fault)) from fault


def broker_answers() -> bool:
    """Say whether the broker of the settings answers; asked once, and not for long."""
    try:
        with app.connection_for_write(settings.CELERY_BROKER_URL) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return False
    return True
