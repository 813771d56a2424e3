"""Publishes a round."""

from typing import Any

from django.conf import settings
from django.urls import reverse

from fartbench.commands import RoundCommand, actor
from scoring.rounds import publish


class Command(RoundCommand):
    help = "Freeze the scores of a closed round as a release that everyone can see."

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        release = publish(round_=round_, actor=actor())
        self.say(f"Round {round_.name} is published as release {release.number}, SHA-256 {release.digest}.")
        self.say(f"{settings.BASE_URL}{reverse('leaderboard', args=[round_.name])}")
