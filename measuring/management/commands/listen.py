"""Listens to the clips of a closed round for candidates that people then look at."""

from typing import Any

from fartbench.commands import RoundCommand, actor, progress
from measuring.sound.checks import listen_to_round, unheard


class Command(RoundCommand):
    help = (
        "Find candidate onsets, silence and loudness in the clips of a closed round. No score is "
        "made of them."
    )

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        with progress("Listening", unheard(round_).count()) as on_clip:
            count = listen_to_round(round_=round_, actor=actor(), on_clip=on_clip)
        self.say(
            f"{count} clips were listened to. Staff and the round's reviewers can look at what was "
            "found."
        )
