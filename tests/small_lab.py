"""A round on the command line, as far as a file of tests wants it: ready to be opened, open, or
closed.
"""

from pathlib import Path
from typing import Any

from django.core.management import call_command

from tests.factories import CORE_R01
from tests.manifests import NOTHING_HEARD, Lab

REVIEWERS = ("a@example.org", "b@example.org", "c@example.org", "d@example.org")
# beta: nobody hears anything in the lift, and two of four do not find the cause in the squat.
CHANGES = {("beta", "r01-lift"): NOTHING_HEARD}


def all_answers(lab: Lab) -> list[dict[str, Any]]:
    rows = lab.answers(REVIEWERS, CHANGES)
    for row in rows:
        if (row["configuration"], row["scene"]) == ("beta", "r01-squat") and row[
            "reviewer"
        ] in REVIEWERS[:2]:
            row["cause"] = "unclear"
    return rows


def small_lab(folder: Path) -> Lab:
    """Return clips of which one was refused."""
    lab = Lab(folder, configurations=("alpha", "beta", "gamma"))
    lab.row("gamma", "r01-toast").update(file="", outcome="refused", reason="policy")
    return lab


def make_ready(lab: Lab) -> None:
    """Bring round r1 up to the point where it can be opened."""
    call_command("load_protocol", str(CORE_R01))
    call_command("create_round", "r1", "--protocol", "core-r01@1.0.0")
    call_command("import_clips", "--round", "r1", str(lab.manifest()))
    call_command("blind", "--round", "r1")
    call_command("set_cohort", "--round", "r1", *REVIEWERS)


def make_open(lab: Lab) -> None:
    """Open it, too."""
    make_ready(lab)
    call_command("open_round", "r1")


def make_closed(lab: Lab) -> None:
    """Let everybody answer everything, and close it."""
    make_open(lab)
    call_command("import_answers", "--round", "r1", str(lab.answer_file(all_answers(lab))))
    call_command("close_round", "r1")
