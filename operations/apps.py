"""Backup, verification and health of an installation."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"
