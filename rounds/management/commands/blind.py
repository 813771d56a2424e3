"""The command of the step `blind`: it makes the copies here, where the button leaves them to
workers.
"""

from blinding.selectors import copies_of
from blinding.services import blind_round
from fartbench.commands import progress
from fartbench.models import Round
from rounds.commands import StepCommand
from rounds.step import Done, Values


class Command(StepCommand):
    """Interrupted, it continues where it stopped."""

    def work(self, round_: Round, actor: str, _values: Values) -> Done:
        made, wanted = copies_of(round_)
        with progress("Making blind copies", total=wanted - made) as advance:
            count = blind_round(round_=round_, actor=actor, on_copy=advance)
        return Done(f"Round {round_.name} has {count} stimuli, each as large as all of its kind.")
