"""The Celery app: its messages only wake workers, rows are the truth."""

import os

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fartbench.settings")

app = Celery("fartbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Threads of a web server would otherwise see an unconfigured app.
app.set_default()
app.autodiscover_tasks()


def broker_answers() -> bool:
    """Say whether the broker of the settings answers; asked once, and not for long."""
    try:
        with app.connection_for_write(settings.CELERY_BROKER_URL) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return False
    return True
