"""Signals, sound and the metrics that take a model: what machines measure, in jobs of the
workers.
"""

from django.apps import AppConfig

from fartbench import writeonce


class MeasuringConfig(AppConfig):
    name = "measuring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - needs loaded models

        jobs.register("listen", "measuring.sound.checks.run_listening")
        jobs.register("measure", "measuring.rollouts.run_measuring")
        writeonce.register(*writeonce.never_changes("scoring_measurementrow"))
