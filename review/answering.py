"""What a sheet and a vote have in common: how they come about, and how they end."""

from __future__ import annotations

from django.db import models


class Source(models.TextChoices):
    """How answers came in."""

    BROWSER = "browser", "Browser"
    IMPORTED = "imported", "Imported"
    SIMULATED = "simulated", "Simulated"


class Answering(models.Model):
    """One person's answers: a draft until they are locked, or ended because nothing would play."""

    revision = models.PositiveIntegerField(default=0, help_text="Goes up with every saved change.")
    started_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    locked_at = models.DateTimeField(null=True, editable=False)
    digest = models.CharField(
        max_length=64, blank=True, editable=False, help_text="SHA-256 of what was locked."
    )
    unplayable_at = models.DateTimeField(null=True, editable=False)
    unplayable_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        abstract = True

    @property
    def is_ended(self) -> bool:
        return self.locked_at is not None or self.unplayable_at is not None
