"""The Celery app: its messages only wake workers, rows are the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fartbench.settings")

app = Celery("fartbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Threads of a web server would otherwise see an unconfigured app.
app.set_default()
app.autodiscover_tasks()
