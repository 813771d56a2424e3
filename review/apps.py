"""Reviewers and their answers."""

from django.apps import AppConfig

from fartbench import writeonce
from review import guards, pair_guards


class ReviewConfig(AppConfig):
    name = "review"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        writeonce.register(*guards.ALL, *pair_guards.ALL)
