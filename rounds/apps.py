"""The steps of a round, and the words for the one that is due."""

from pkgutil import resolve_name

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "rounds"

    def ready(self) -> None:
        from fartbench.rounds import say_due_steps_with  # noqa: PLC0415 - needs loaded models

        # Imported at the first refusal: the steps know every room, and loading them takes long.
        say_due_steps_with(lambda round_: str(resolve_name("rounds.due.due_in_words")(round_)))
