"""What people agree to, and who agreed to which text when."""

from __future__ import annotations

from django.db import models

from fartbench.models import ProtocolVersion
from review.consent_text import ConsentDocument
from review.models.people import CohortMember


class ConsentText(models.Model):
    """A text that reviewers of a protocol's rounds are asked to agree to; the newest one holds."""

    protocol = models.ForeignKey(
        ProtocolVersion, on_delete=models.PROTECT, related_name="consent_texts"
    )
    version = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, help_text="SHA-256 over version, text, statements.")
    text = models.TextField()
    statements = models.JSONField(help_text="What is ticked one by one.")
    loaded_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("protocol", "digest"), name="a_consent_text_is_kept_once"
            ),
        )

    def __str__(self) -> str:
        return f"consent {self.version} of {self.protocol}"

    @property
    def document(self) -> ConsentDocument:
        """The text as it is shown."""
        return ConsentDocument(self.version, self.text, tuple(self.statements))


class Consent(models.Model):
    """One person agreed to one text for one round."""

    member = models.ForeignKey(CohortMember, on_delete=models.PROTECT, related_name="consents")
    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="consents")
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("member", "text"), name="a_member_agrees_to_a_text_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.member}: {self.text}"
