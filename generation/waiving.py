"""The option of commands that collect clips: going on without experts' verdicts, for a stated
reason.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import actor
from fartbench.models import Round
from generation.verdicts import waive_verdicts


def add_waiver(parser: ArgumentParser) -> None:
    """Take ``--without-verdicts REASON``."""
    parser.add_argument(
        "--without-verdicts",
        metavar="REASON",
        help="why this round, a pilot, generates before experts' verdicts",
    )


def waive_as_asked(round_: Round, options: dict[str, Any]) -> None:
    """Store the reason where one was given. Raises VerdictRefused for an empty one."""
    if options["without_verdicts"] is not None:
        waive_verdicts(round_=round_, reason=options["without_verdicts"], actor=actor())
