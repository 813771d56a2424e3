"""What is known of how a rollout came: its chunks, and when each prompt was given."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from generation.models.cells import Sample


class ChunkSource(models.TextChoices):
    """How it is known where chunks meet."""

    LOGGED = "logged", "Logged as they came"
    GEOMETRY = "geometry", "From the declared geometry"


class Chunk(models.Model):
    """A piece of a rollout as its model made it. Never changed.

    A rollout without any has boundaries nobody can see.
    """

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="chunks")
    index = models.PositiveIntegerField(help_text="From 0.")
    frame_start = models.PositiveIntegerField(
        help_text="The place of its first picture in the rollout."
    )
    frames = models.PositiveIntegerField()
    media_s = models.FloatField(help_text="Where it begins in the rollout, in seconds.")
    wall_s = models.FloatField(
        null=True,
        help_text="When it had come, in seconds since the order was sent; empty unless logged.",
    )
    source = models.CharField(max_length=8, choices=ChunkSource.choices)

    class Meta:
        ordering = ("sample", "index")
        constraints = (
            models.UniqueConstraint(
                fields=("sample", "index"), name="a_chunk_of_a_rollout_stands_once"
            ),
            models.CheckConstraint(condition=Q(frames__gte=1), name="a_chunk_has_a_picture"),
            models.CheckConstraint(
                condition=Q(source="logged", wall_s__isnull=False)
                | Q(source="geometry", wall_s__isnull=True),
                name="only_a_logged_chunk_has_a_wall_time",
            ),
        )

    def __str__(self) -> str:
        return f"chunk {self.index} of {self.sample_id}"


class PromptDelivery(models.Model):
    """A prompt of a rollout as it was given. Never changed."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="prompt_deliveries")
    step = models.CharField(max_length=4)
    due_s = models.FloatField(help_text="When it was due, in seconds of the rollout.")
    media_s = models.FloatField(help_text="From which second of the rollout on it held.")
    wall_s = models.FloatField(
        null=True, help_text="When it was taken, in seconds since the order was sent."
    )
    in_chunk = models.PositiveIntegerField(
        null=True, help_text="The first chunk that was made with it."
    )

    class Meta:
        ordering = ("sample", "step")
        verbose_name_plural = "prompt deliveries"
        constraints = (
            models.UniqueConstraint(
                fields=("sample", "step"), name="a_prompt_of_a_rollout_is_given_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.step} of {self.sample_id}"
