"""The steps of a round, and the words for the one that is due."""

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "rounds"

    def ready(self) -> None:
        from fartbench.rounds import say_due_steps_with  # noqa: PLC0415 - both need loaded models
        from rounds.due import due_in_words  # noqa: PLC0415

        say_due_steps_with(due_in_words)
