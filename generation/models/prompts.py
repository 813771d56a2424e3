"""Rendered prompts: the exact bytes, who compared them with the specification, and when they were
frozen.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from fartbench.models import ProtocolVersion
from generation.models.configurations import Configuration


class Prompt(models.Model):
    """The bytes that one configuration gets for one scene, in one pilot version.

    Frozen bytes never change.
    """

    configuration = models.ForeignKey(
        Configuration, on_delete=models.PROTECT, related_name="prompts"
    )
    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="prompts")
    scene = models.CharField(max_length=40)
    pilot_version = models.PositiveSmallIntegerField(default=1)
    adapter = models.CharField(max_length=40)
    adapter_version = models.CharField(max_length=20)
    specification = models.JSONField(help_text="The canonical specification that was rendered.")
    specification_digest = models.CharField(max_length=64)
    body = models.BinaryField(help_text="The prompt in UTF-8.")
    sha256 = models.CharField(max_length=64, db_index=True)
    sources = models.JSONField(
        default=list, help_text="The prompting guides consulted, each with its retrieval date."
    )
    rendered_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, editable=False)
    frozen_by = models.CharField(max_length=150, blank=True, editable=False)

    class Meta:
        ordering = ("configuration__name", "scene", "pilot_version")
        constraints = (
            models.UniqueConstraint(
                fields=("configuration", "protocol", "scene", "pilot_version"),
                name="a_prompt_version_exists_once",
            ),
            models.CheckConstraint(
                condition=Q(frozen_at__isnull=True) | ~Q(frozen_by=""),
                name="a_frozen_prompt_says_who_froze_it",
            ),
        )

    def __str__(self) -> str:
        return f"{self.configuration.name}/{self.scene} v{self.pilot_version}"

    @property
    def text(self) -> str:
        """The prompt as text."""
        return bytes(self.body).decode("utf-8")


class PromptAudit(models.Model):
    """A person's comparison of prompt bytes with a specification: nine questions. Never changed."""

    sha256 = models.CharField(max_length=64)
    specification_digest = models.CharField(max_length=64)
    auditor = models.CharField(max_length=150)
    answers = models.JSONField(help_text="Each question's key with true for YES.")
    note = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (
            models.Index(fields=("sha256", "specification_digest"), name="audits_of_a_prompt"),
        )
        constraints = (
            models.CheckConstraint(condition=~Q(auditor=""), name="an_audit_names_its_auditor"),
        )

    def __str__(self) -> str:
        return f"{self.sha256[:12]} by {self.auditor}"
