"""The foundation rows: protocols, rounds and the audit trail."""

from __future__ import annotations

import json
import secrets
from typing import Any

from django.core.validators import RegexValidator
from django.db import models

from fartbench.protocol import Form, Protocol, form_for, parse_protocol
from fartbench.protocol.rollouts.sampling import RoundPlan


class ProtocolVersion(models.Model):
    """A protocol file as it was loaded. A database guard keeps its content as it is for ever."""

    name = models.CharField(max_length=40)
    version = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, unique=True)
    content = models.JSONField()
    loaded_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("name", "version"), name="a_protocol_version_is_loaded_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def rules(self) -> Protocol:
        """The checked protocol that this row holds."""
        return _parsed(self)

    def form(self, scene: str) -> Form:
        """Return the form of a scene. Raises KeyError when the protocol has no such scene."""
        key = (self.digest, scene)
        if key not in _forms:
            _forms[key] = form_for(self.rules, scene)
        return _forms[key]


_parsed_by_digest: dict[str, Protocol] = {}
_forms: dict[tuple[str, str], Form] = {}


def _parsed(row: ProtocolVersion) -> Protocol:
    # Content and digest of a row never change, so one parse serves every row with that digest.
    if row.digest not in _parsed_by_digest:
        _parsed_by_digest[row.digest] = parse_protocol(row.content, source=str(row))
    return _parsed_by_digest[row.digest]


class RoundState(models.TextChoices):
    """The state of a round; it only ever moves down this list."""

    DRAFT = "draft", "Draft"
    GENERATING = "generating", "Collecting results"
    BLINDING = "blinding", "Making blind copies"
    REVIEWING = "reviewing", "Open for review"
    LOCKED = "locked", "Closed"
    PUBLISHED = "published", "Published"


def new_seed() -> str:
    """Return the random text that every resampling of a round, and with SECRET_KEY its secret,
    follow from.
    """
    return secrets.token_hex(16)


class Round(models.Model):
    """A protocol applied to configurations."""

    name = models.CharField(
        max_length=60,
        unique=True,
        validators=[
            RegexValidator(
                r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", "letters, digits, “.”, “-” and “_” only."
            )
        ],
    )
    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="rounds")
    state = models.CharField(max_length=12, choices=RoundState.choices, default=RoundState.DRAFT)
    replicates = models.PositiveSmallIntegerField(default=1)
    scene_keys = models.JSONField(
        default=list,
        blank=True,
        help_text="The scenes of the round; empty for all of the protocol.",
    )
    unit_plan = models.JSONField(
        default=dict,
        blank=True,
        help_text="What of each rollout is judged: horizons, kinds of windows. Empty for whole "
        "clips.",
    )
    seed = models.CharField(max_length=64, default=new_seed, editable=False)
    secret_sha256 = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="Of its secret, stored when it opens; empty in older rounds.",
    )
    secret = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="What its orders were drawn from; empty until it is closed.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    published_at = models.DateTimeField(null=True, editable=False)
    normalised_because = models.TextField(
        blank=True, help_text="Why the clips are normalised although the protocol says copy."
    )
    incomplete_reason = models.TextField(
        blank=True, help_text="Why the round was closed with sheets missing."
    )

    def __str__(self) -> str:
        return self.name

    @property
    def is_normalised(self) -> bool:
        """Whether all clips are re-encoded to the protocol's common format, and not copied."""
        return bool(self.normalised_because) or self.protocol.rules.blinding.method == "normalise"

    @property
    def looks(self) -> RoundPlan | None:
        """What of each rollout is judged; None where clips are judged whole."""
        if self.unit_plan:
            return RoundPlan.model_validate_json(json.dumps(self.unit_plan))
        return None

    @property
    def scenes(self) -> list[str]:
        """The keys of the round's scenes, in the protocol's order."""
        chosen = set(self.scene_keys)
        return [
            scene.key for scene in self.protocol.rules.scenes if not chosen or scene.key in chosen
        ]


class AuditEntry(models.Model):
    """One thing that was done, chained to the one before it by a hash.

    Never changed, never deleted.
    """

    sequence = models.PositiveBigIntegerField(primary_key=True)
    at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    action = models.CharField(max_length=60)
    round_name = models.CharField(max_length=60, blank=True, db_index=True)
    details = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ("sequence",)
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.sequence} {self.action}"

    def content(self) -> dict[str, Any]:
        """Return what the hash covers, as plain JSON."""
        return {
            "sequence": self.sequence,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "action": self.action,
            "round": self.round_name,
            "details": self.details,
            "previous_hash": self.previous_hash,
        }


class AuditHead(models.Model):
    """The newest link of the chain: one row, locked by anyone who adds the next."""

    sequence = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="0" * 64)

    def __str__(self) -> str:
        return f"{self.sequence} {self.hash[:12]}"


class JobState(models.TextChoices):
    """The state of a piece of work."""

    DUE = "due", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Job(models.Model):
    """A piece of work for a worker. The row is the truth; a message only wakes a worker sooner.

    A running job is held by a lease that its worker keeps renewing, so that the work of a killed
    one is taken up again.
    """

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=40, help_text="The key of what is worked on.")
    round_name = models.CharField(max_length=60, blank=True, db_index=True)
    state = models.CharField(max_length=8, choices=JobState.choices, default=JobState.DUE)
    due_at = models.DateTimeField()
    lease = models.CharField(
        max_length=32, blank=True, help_text="Who holds it: changes with every claim."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    progress = models.FloatField(default=0, help_text="From 0 to 1, as far as the work says.")
    error = models.TextField(blank=True, help_text="What went wrong last, in words.")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("kind", "subject"), name="a_piece_of_work_exists_once"),
        )
        # Both engines find due rows by it, however many finished ones lie beside them.
        indexes = (models.Index(fields=("state", "due_at"), name="jobs_by_state_and_time"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class EntryTry(models.Model):
    """A wrong try to log in, of a short while ago; see `fartbench.throttle`.

    Holds no name and no network address.
    """

    at = models.DateTimeField(db_index=True)
    account = models.CharField(
        max_length=32, blank=True, db_index=True, help_text="A keyed hash; empty for a code."
    )
    address = models.CharField(max_length=32, db_index=True, help_text="A keyed hash.")

    class Meta:
        verbose_name_plural = "entry tries"

    def __str__(self) -> str:
        return f"{self.at:%H:%M}"


class ServiceKey(models.Model):
    """What an admin entered for a service, sealed; see `fartbench.entered_keys`."""

    service = models.CharField(max_length=40, unique=True)
    sealed = models.TextField()
    entered_by = models.CharField(max_length=150)
    entered_at = models.DateTimeField()
    tested_at = models.DateTimeField(null=True)
    verdict = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return self.service


class CallCount(models.Model):
    """How many calls one caller made in one minute; see `fartbench.throttle`."""

    caller = models.CharField(max_length=32, unique=True, help_text="A keyed hash.")
    minute = models.DateTimeField()
    calls = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.calls} at {self.minute:%H:%M}"


class WorkerBeat(models.Model):
    """A sign of life of one worker process."""

    name = models.CharField(max_length=120)
    queue = models.CharField(
        max_length=20, blank=True, help_text="Which jobs it does; empty for all."
    )
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("name", "queue"), name="a_worker_beats_once_for_a_queue"
            ),
        )

    def __str__(self) -> str:
        return self.name
