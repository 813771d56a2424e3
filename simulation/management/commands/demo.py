"""Makes the demonstration and serves it."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.urls import reverse
from rich.console import Console

from blinding.services import BLIND
from fartbench.commands import Command as Base
from fartbench.commands import progress
from fartbench.media.ffmpeg import ffmpeg_binary
from generation.commissioning import GENERATE
from review.training import TRAINING
from simulation.demo import rounds as demo
from simulation.demo.accounts import Accounts, ready_accounts
from simulation.demo.judges import let_judges_answer, questions_left
from simulation.demo.rollouts import make_rollouts
from simulation.demo.serving import refuse_taken_port, serve
from simulation.demo.work import BOUGHT, buy_from_stand_ins, work_through


class Command(Base):
    help = (
        "Make a finished and an open round of simulated clips, and serve them. A second run adds "
        "nothing."
    )
    needs_database = False  # it makes its own

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-serve", action="store_true", help="make everything and stop")
        parser.add_argument(
            "--providers",
            choices=["standin"],
            help="also buy clips of all configurations from stand-in providers",
        )
        parser.add_argument(
            "--rollouts", action="store_true", help="also make a small round of long rollouts"
        )

    def run(self, **options: Any) -> None:
        if not options["no_serve"]:
            refuse_taken_port()
        ffmpeg_binary()  # says what to do when there is none, before anything starts
        console = Console(stderr=True)
        with console.status("Setting up the database and the static files"):
            call_command("migrate", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
        accounts = _make(console)
        if options["providers"]:
            came = buy_from_stand_ins(f"{demo.PROTOCOL.parent.name}@{demo.PROTOCOL.name}", console)
            self.say(
                f"Round {BOUGHT}, bought from stand-ins: {came}. "
                f"{settings.BASE_URL}{reverse('generation-home')}"
            )
        if options["rollouts"]:
            made = make_rollouts(console)
            self.say(
                f"Round {made}, of rollouts: "
                f"{settings.BASE_URL}{reverse('leaderboard', args=[made.name])}"
            )
        self.say(_what_to_try(accounts))
        if options["no_serve"]:
            self.say("Run “make demo” to serve it.")
        else:
            serve()


def _make(console: Console) -> Accounts:
    rounds = demo.make_rounds()
    work_through(GENERATE, rounds, console)
    demo.blind(rounds)
    work_through(BLIND, rounds, console)
    work_through(TRAINING, rounds, console)
    with console.status(
        "Opening the rounds, drawing orders, letting the scripted reviewers answer"
    ):
        links = {}
        for round_ in rounds:
            round_.refresh_from_db()
            links[round_.name] = demo.open_and_answer(round_)
    with progress("Asking scripted judges", questions_left(rounds[0])) as advance:
        let_judges_answer(rounds[0], advance)
    with console.status("Closing and publishing the finished rounds"):
        demo.finish(rounds[2])  # the pilot first: the site speaks of what was published last
        demo.finish(rounds[0])
        return ready_accounts(rounds[1], links[demo.OPEN])


def _what_to_try(accounts: Accounts) -> str:
    base = settings.BASE_URL
    return f"""
FARTBench is ready at {base}

  As a visitor    {base}/ and the leaderboard of the finished round, {base}/rounds/{demo.FINISHED}/
                  and of a small pilot with another questionnaire, {base}/rounds/{demo.PILOT}/
                  with blind pairs beside its score, {base}/rounds/{demo.PILOT}/pairs/
  As a reviewer   open your invite in a fresh browser window and rate the round “{demo.OPEN}”:
                  {accounts.invite}
                  “{demo.PAIRS}” waits there too: three clips, then blind pairs of them
  As staff        {base}/staff/ as {accounts.staff} with the password {accounts.staff_password}
  As an admin     {base}/staff/ as {accounts.admin} with the password {accounts.admin_password}
                  When you have rated every clip, close “{demo.OPEN}” there and publish it.

All clips are drawn by this program, and all answers but yours are simulated,
those of AI judges too."""
