"""Blind copies, and the key that says whose they are. Nothing here leads from a copy to its
maker.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from django.db import models

from fartbench.models import Round
from fartbench.stores import blind_copies


def opaque_id() -> str:
    """Return a random identifier that says nothing about content, time or order.

    It never begins with “-”: a command would take it for an option.
    """
    while (identifier := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return identifier


class BlindCopy(models.Model):
    """A blind copy of one sample's clip, or of windows of it, not yet padded: what a worker makes,
    and may make again.

    Stimuli are made from these once every clip of the round has all of its own, since only then are
    the common sizes known. Units that look at the same seconds share a copy.
    """

    sample = models.ForeignKey("generation.Sample", on_delete=models.PROTECT, related_name="+")
    windows = models.CharField(
        max_length=80,
        blank=True,
        help_text="Which seconds, such as “30-60” or “0-30 60-90”; empty for the whole clip.",
    )
    shown = models.CharField(max_length=8, default="both", help_text="Picture, sound, or both.")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes, before padding.")
    facts = models.JSONField(
        help_text="What a player may need: duration, size, frame times, sound or none."
    )
    technical = models.JSONField(
        help_text="The technical facts that are left, for the fingerprint report."
    )
    proof = models.JSONField(null=True, help_text="That it shows and plays what the raw clip does.")
    removed = models.JSONField(default=dict, help_text="What was left out, and how often.")

    class Meta:
        verbose_name_plural = "blind copies"
        constraints = (
            models.UniqueConstraint(
                fields=("sample", "windows", "shown"), name="a_window_of_a_clip_is_copied_once"
            ),
        )

    def __str__(self) -> str:
        return f"copy {self.sha256[:12]}"

    @property
    def path(self) -> Path:
        """The stored file, not yet padded."""
        return blind_copies().path(self.sha256)


class NotReviewable(models.Model):
    """A delivered clip that no blind copy can be made of, so that nobody is asked about it.

    It is counted.
    """

    sample = models.OneToOneField("generation.Sample", on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    declared_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "not reviewable clips"

    def __str__(self) -> str:
        return f"not reviewable: {self.reason}"


class Stimulus(models.Model):
    """A blind copy under an opaque id: all that a reviewer, a judge or a page of an open round may
    know of a clip.

    ``unit`` and ``place`` say what of a rollout it shows (as a
    `fartbench.protocol.rollouts.units.Unit` does); both are empty for a whole clip. ``context`` is
    what else a person or judge sees: the prompt's text that it is about, what is shown, and where
    each window begins and ends in it.
    """

    id = models.CharField(primary_key=True, max_length=32, default=opaque_id, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="stimuli")
    scene = models.CharField(max_length=40)
    form = models.CharField(
        max_length=100, blank=True, help_text="The form it is asked with; empty for the scene's."
    )
    unit = models.CharField(
        max_length=40, blank=True, help_text="The kind of window; empty for a whole clip."
    )
    place = models.CharField(max_length=20, blank=True, help_text="Which of its kind.")
    end_s = models.FloatField(
        null=True, blank=True, help_text="The last moment of the rollout that is looked at."
    )
    context = models.JSONField(
        default=dict, blank=True, help_text="What else whoever judges it is told."
    )
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(
        help_text="Bytes, padding included: the same for every stimulus of a round and kind."
    )
    facts = models.JSONField(
        help_text="What a player may need: duration, size, frame times, sound or none."
    )

    class Meta:
        verbose_name_plural = "stimuli"
        # The order of ids is random, so that no list of stimuli tells when or in which order they
        # were made.
        ordering = ("id",)

    def __str__(self) -> str:
        return self.id

    @property
    def form_key(self) -> str:
        """The key of the form that it is asked with."""
        return self.form or self.scene

    @property
    def path(self) -> Path:
        """The stored blind copy."""
        return blind_copies().path(self.sha256)


class BlindingKey(models.Model):
    """Which clip a stimulus is a copy of. Never loaded by review code; shown to staff only after
    lock, with a reason.

    No relation leads here from a stimulus or a clip (``related_name="+"``), so that no template can
    walk it.
    """

    stimulus = models.OneToOneField(Stimulus, on_delete=models.PROTECT, related_name="+")
    sample = models.ForeignKey("generation.Sample", on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"key of {self.stimulus_id}"
