"""The interface for programs: tokens, operations, and the answers that are remembered."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "api"
    default_auto_field = "django.db.models.BigAutoField"
