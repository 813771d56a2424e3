"""Tokens, and answers that are remembered for repeated calls."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import models


class Token(models.Model):
    """Lets a program act for an account, within scopes and until a time.

    The token itself is stored nowhere: only its SHA-256, and its first characters, by which its
    owner recognises it.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for.")
    hint = models.CharField(max_length=12, help_text="Its first characters.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token.")
    scopes = models.JSONField(default=list)
    rounds = models.JSONField(
        default=list, blank=True, help_text="Names of rounds; empty for every round."
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-made_at", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def actor(self) -> str:
        """Return how the audit trail names a call with this token."""
        return f"{self.user.get_username()[:110]} (token {self.hint})"


class KeptAnswer(models.Model):
    """What was answered to a call with an Idempotency-Key, so that the same call again changes
    nothing.
    """

    token = models.ForeignKey(Token, on_delete=models.CASCADE)
    key = models.CharField(max_length=128)
    digest = models.CharField(max_length=64, help_text="SHA-256 of method, address and body.")
    status = models.PositiveSmallIntegerField(default=0)
    location = models.CharField(max_length=300, blank=True)
    content = models.TextField(blank=True)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("token", "key"), name="a_call_is_made_once"),
        )

    def __str__(self) -> str:
        return self.key
