"""Consensus, scores, releases and the pages that join answers with configurations."""

from django.apps import AppConfig

from fartbench import writeonce


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - both need loaded models
        from scoring import training  # noqa: PLC0415
        from scoring.rollouts import measuring  # noqa: PLC0415
        from scoring.sound import checks  # noqa: PLC0415

        jobs.register(training.TRAINING, training.run_training)
        jobs.register(checks.LISTEN, checks.run_listening)
        jobs.register(measuring.MEASURE, measuring.run_measuring)
        for table in ("scoring_release", "scoring_releasedocument", "scoring_measurementrow"):
            writeonce.register(*writeonce.never_changes(table))
