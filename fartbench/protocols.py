"""Protocol versions: loading a folder once, and freezing what a round opens on."""

from __future__ import annotations

from pathlib import Path

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion
from fartbench.protocol import load_protocol


class UnknownProtocol(Refusal):
    """No loaded protocol has this name and version."""


class ProtocolChanged(Refusal):
    """A file that differs from what was loaded under the same version."""


@transaction.atomic
def store_protocol(folder: Path, *, actor: str) -> ProtocolVersion:
    """Load the protocol in ``folder``. The same content again changes nothing.

    Raises ProtocolError for a file that cannot be used, ProtocolChanged when its version was loaded
    with other content.
    """
    file = load_protocol(folder)
    rules = file.protocol
    stored = ProtocolVersion.objects.filter(name=rules.name, version=rules.version).first()
    if stored is None:
        stored = ProtocolVersion.objects.create(
            name=rules.name, version=rules.version, digest=file.digest, content=file.content
        )
        audit.record("protocol loaded", actor=actor, protocol=str(stored), digest=stored.digest)
    elif stored.digest != file.digest:
        raise ProtocolChanged(
            f"{folder}: {rules.label} was loaded before with other content (SHA-256 "
            f"{stored.digest[:12]}…, "
            f"now {file.digest[:12]}…). A changed protocol is a new version: raise “version” in "
            "the file."
        )
    return stored


def find_protocol(label: str) -> ProtocolVersion:
    """Return the loaded protocol named ``name@version``.

    Raises UnknownProtocol, naming those there are.
    """
    name, _, version = label.partition("@")
    found = ProtocolVersion.objects.filter(name=name, version=version).first()
    if found is None:
        labels = (
            ", ".join(str(stored) for stored in ProtocolVersion.objects.order_by("name", "version"))
            or "none yet"
        )
        raise UnknownProtocol(
            f"There is no protocol {label!r}. Loaded: {labels}. Load one with “load_protocol”."
        )
    return found


def freeze(version: ProtocolVersion) -> None:
    """Freeze a protocol; a frozen one stays so."""
    ProtocolVersion.objects.filter(pk=version.pk, frozen_at__isnull=True).update(
        frozen_at=timezone.now()
    )
    version.refresh_from_db()
