"""What Celery runs: it wakes up, and takes what the rows of its queue say is due."""

import socket
from functools import partial

from celery import shared_task
from kombu import Queue

from fartbench import jobs
from fartbench.celery import app

SWEEP = "sweep"  # a queue of its own: one worker anywhere has to listen to it
SWEEP_EVERY_S = 5.0
WOKEN_AT_ONCE = 200  # more than workers do until the next sweep; what is left is found by that one


@shared_task(ignore_result=True)
def run_due(queue: str) -> None:
    """Claim and do one due job of a queue.

    A message that comes twice, or finds nothing due, changes nothing.
    """
    beat = partial(jobs.beat, f"celery@{socket.gethostname()}", queue=queue)
    beat()
    if claim := jobs.claim_next([queue]):
        jobs.run(claim, alive=beat)


def wake_for(queue: str, *, expires_s: float = 3600) -> None:
    """Wake one worker of a queue; a message that nobody took in ``expires_s`` seconds is
    dropped.
    """
    run_due.apply_async(args=(queue,), queue=queue, expires=expires_s)


@shared_task(ignore_result=True)
def sweep() -> None:
    """Wake a worker for every job that is due: what a lost message or a killed worker left behind.

    Each queue gets a message in any case, by which its workers show that they live. What nobody
    took until the next sweep expires: with no worker there, messages do not pile up.
    """
    for queue in jobs.QUEUES:
        for _ in range(max(1, min(jobs.due([queue]), WOKEN_AT_ONCE))):
            wake_for(queue, expires_s=SWEEP_EVERY_S)


# A worker without -Q (such as -Q media,judge) listens to all of them.
app.conf.task_queues = [Queue(name, routing_key=name) for name in (*jobs.QUEUES, SWEEP)]
app.conf.task_create_missing_queues = False
app.conf.beat_schedule = {
    "sweep": {
        "task": "fartbench.tasks.sweep",
        "schedule": SWEEP_EVERY_S,
        "options": {"queue": SWEEP},
    }
}
