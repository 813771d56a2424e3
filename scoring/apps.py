"""Consensus, scores, releases and the pages that join answers with configurations."""

from django.apps import AppConfig

from fartbench import writeonce


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        writeonce.register(*writeonce.never_changes("scoring_release"))
