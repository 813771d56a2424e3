"""What Celery runs: it wakes up, and takes what the rows say is due."""

import socket

from celery import shared_task

from fartbench import jobs
from fartbench.celery import app


@shared_task(ignore_result=True)
def run_due() -> None:
    """Claim and do one due job. A message that comes twice, or finds nothing due, changes nothing."""
    jobs.beat(f"celery@{socket.gethostname()}")
    if claim := jobs.claim_next():
        jobs.run(claim)


@shared_task(ignore_result=True)
def sweep() -> None:
    """Wake a worker for every job that is due: what a lost message or a killed worker left behind."""
    jobs.beat(f"celery@{socket.gethostname()}")
    for _ in range(jobs.due()):
        run_due.delay()


app.conf.beat_schedule = {"sweep": {"task": "fartbench.tasks.sweep", "schedule": 5.0}}
