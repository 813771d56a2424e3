"""Serves the stand-ins of all providers on this machine."""

import signal
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings

from fartbench.commands import Command as Base
from simulation.stand_ins.providers import Chance, StandIn
from simulation.stand_ins.providers.clips import Clips
from simulation.stand_ins.providers.streaming import StreamingStandIn


class Command(Base):
    help = (
        "Speak every provider's wire contract on loopback, with clips drawn here: nothing is "
        "bought. "
        "Set STAND_IN_URL to the address it prints, for the web server and the workers."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8790)
        parser.add_argument(
            "--fault-rate",
            type=float,
            default=0.0,
            help="share of orders that meet a fault",
        )
        parser.add_argument(
            "--fault-seed", type=int, default=0, help="equal seeds draw equal faults"
        )
        parser.add_argument(
            "--streaming-port", type=int, default=8791, help="where rollouts are streamed"
        )
        parser.add_argument(
            "--variants", type=int, default=1, help="how many different clips of each scene to draw"
        )

    def run(self, **options: Any) -> None:
        clips = Clips(Path(settings.DATA_DIR) / "stand-in", options["variants"])
        faults = Chance(options["fault_rate"], options["fault_seed"])
        stand_in = StandIn(clips.of, faults=faults, port=options["port"])
        signal.signal(signal.SIGTERM, _stop)
        self.say(
            f"Stand-ins of all providers at {stand_in.url}; the ledger is at {stand_in.url}/ledger"
        )
        with StreamingStandIn(port=options["streaming_port"]) as streaming:
            self.say(f"A stand-in that streams rollouts at {streaming.url}")
            self.stdout.flush()
            try:
                stand_in.serve_forever()
            except KeyboardInterrupt:
                self.say("Stopped.")


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
