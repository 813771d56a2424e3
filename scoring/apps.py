"""Consensus, scores, reports and releases: what joins answers with configurations."""

from django.apps import AppConfig

from fartbench import writeonce


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        for table in ("scoring_release", "scoring_releasedocument"):
            writeonce.register(*writeonce.never_changes(table))
