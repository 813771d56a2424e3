"""Signals, sound and the metrics that take a model: what machines measure, in jobs of the
workers.
"""

from django.apps import AppConfig

from fartbench import writeonce


class MeasuringConfig(AppConfig):
    name = "measuring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - both need loaded models
        from measuring import rollouts  # noqa: PLC0415
        from measuring.sound import checks  # noqa: PLC0415

        jobs.register(checks.LISTEN, checks.run_listening)
        jobs.register(rollouts.MEASURE, rollouts.run_measuring)
        writeonce.register(*writeonce.never_changes("scoring_measurementrow"))
