"""Commands for authors of protocols and scenarios."""

from django.apps import AppConfig


class AuthoringConfig(AppConfig):
    name = "authoring"
