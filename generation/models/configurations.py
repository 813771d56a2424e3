"""The configurations that can be commissioned, and their families."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from django.db import models

from generation.configurations import ConfigurationFile, parse_configuration
from generation.manifest import NAME_PATTERN, NAME_RULE

name_validator = RegexValidator(NAME_PATTERN, NAME_RULE)


class Family(models.Model):
    """A line of models by one maker. Results belong to configurations, never to a family."""

    name = models.CharField(max_length=80, unique=True, validators=[name_validator])
    label = models.CharField(max_length=120)

    class Meta:
        verbose_name_plural = "families"

    def __str__(self) -> str:
        return self.label


class Configuration(models.Model):
    """A tested variant of a family: model, route, parameters and preprocessing together."""

    name = models.CharField(max_length=80, unique=True, validators=[name_validator])
    label = models.CharField(max_length=120)
    family = models.ForeignKey(
        Family, on_delete=models.PROTECT, related_name="configurations", null=True, blank=True
    )
    provider = models.CharField(max_length=40, default="imported")
    model_id = models.CharField(max_length=120, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    track = models.CharField(max_length=40, default="core-av")
    geometry = models.JSONField(
        null=True,
        blank=True,
        help_text="How many pictures its chunks have, where that is declared; else empty.",
    )
    provisional = models.BooleanField(
        default=False,
        help_text="Made by an import from a name alone; an admin has yet to describe it.",
    )
    content = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="The whole file that it was loaded from.",
    )
    digest = models.CharField(
        max_length=64, blank=True, editable=False, help_text="SHA-256 of that content."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.label

    @property
    def file(self) -> ConfigurationFile | None:
        """What its file says, checked; None for one that was not loaded from a file."""
        if self.digest:
            return _parsed(self.digest, self.content)
        return None


_parsed_by_digest: dict[str, ConfigurationFile] = {}


def _parsed(digest: str, content: Any) -> ConfigurationFile:
    # A digest names one content, so one parse serves every row that has it.
    if digest not in _parsed_by_digest:
        _parsed_by_digest[digest] = parse_configuration(
            content, source=f"configuration {content.get('name')}"
        )
    return _parsed_by_digest[digest]
