"""Releases: what was published, frozen and hashed."""

from __future__ import annotations

from django.db import models

from fartbench.models import Round


class Release(models.Model):
    """A frozen result of a round. A correction is a new release that names the one it replaces."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()
    scores = models.JSONField(help_text="The scores document, as “manage.py score --json” prints it, with its clips.")
    digest = models.CharField(max_length=64, help_text="SHA-256 over the canonical bytes of the scores.")
    demonstration = models.BooleanField(default=False, help_text="It holds simulated answers.")

    class Meta:
        ordering = ("-created_at",)
        constraints = (models.UniqueConstraint(fields=("round", "number"), name="a_release_number_is_used_once"),)

    def __str__(self) -> str:
        return f"{self.round} release {self.number}"
