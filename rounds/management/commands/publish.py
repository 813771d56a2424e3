"""Publishes a round."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.urls import reverse

from fartbench.commands import RoundCommand, actor
from fartbench.models import Round, RoundState
from judging.selectors import left_open
from rounds.opening import publish
from scoring.models import Release


class Command(RoundCommand):
    help = (
        "Write a closed round as a release that everyone can see and check; --correct replaces the "
        "last one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--correct", action="store_true", help="make a new release that replaces the last one"
        )
        parser.add_argument(
            "--reason", default="", help="what was wrong with the release that is replaced"
        )

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        if round_.state == RoundState.PUBLISHED and not options["correct"]:
            self.say(
                "It is published already; nothing was changed. “--correct --reason” makes another "
                "release."
            )
            self._show(round_, round_.releases.order_by("number").reverse()[0])
            return
        if not options["correct"] and (words := left_open(round_)):
            self.say(f"{words} From now on none can be asked.")
        correction = options["reason"] if options["correct"] else None
        self._show(round_, publish(round_=round_, actor=actor(), correction=correction))

    def _show(self, round_: Round, release: Release) -> None:
        self.say(
            f"Round {round_.name} is published as release {release.number}, SHA-256 "
            f"{release.digest}."
        )
        audit = release.manifest["audit"]
        self.say(f"Head of the audit trail: {audit['sequence']}:{audit['hash']}")
        self.say(f"{release.folder}")
        self.say(f"{settings.BASE_URL}{reverse('leaderboard', args=[round_.name])}")
