"""The pages of visitors and of staff."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"
