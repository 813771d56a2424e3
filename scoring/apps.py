"""Consensus, scores, reports and releases: what joins answers with configurations."""

from django.apps import AppConfig

from fartbench import writeonce
from scoring import guards


class ScoringConfig(AppConfig):
    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        writeonce.register(*guards.ALL)
