"""Does steps of rounds, each in a process that is killed as soon as the step has committed.

Takes lines of JSON, ``[key, round, data of the form, its files]``, and answers each with the signal that ended
the process.
"""

# ruff: noqa: E402, T201 - Django is set up first; a program of its own
import json
import os
import signal
import sys

import django

django.setup()

from fartbench.rounds import find_round
from rounds.forms import StepForm
from rounds.steps import STEPS
from tests.rounds.every_step import uploads


def do_and_die(key: str, round_name: str, data: dict[str, str], files: dict[str, str]) -> None:
    round_ = find_round(round_name)
    form = StepForm(STEPS[key], round_, data, uploads(files))
    assert form.is_valid(), form.errors
    STEPS[key].perform(round_, "killed", form.cleaned_data)
    os.kill(os.getpid(), signal.SIGKILL)


for line in sys.stdin:
    child = os.fork()
    if not child:
        do_and_die(*json.loads(line))
    _, status = os.waitpid(child, 0)
    print(-os.waitstatus_to_exitcode(status), flush=True)
