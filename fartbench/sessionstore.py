"""Sessions as rows, as Django's own keep them, but for two things.

A row is found with a query that is made once: every call looks for one. And a row has a hash of the
session's key, not the key: who reads the database, or a copy of it, can log in as nobody.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from fartbench.compiled import CompiledQuery, Part

_SESSION = Part(Session)
_session = CompiledQuery(lambda key: Session.objects.filter(pk=key).values_list(*_SESSION.columns))
_HASH_BYTES = 30  # 240 bits of SHA-256: as text they fill the 40 characters of Django's column


def stored_key(key: str) -> str:
    """Return what a row has for a session's key: 40 characters, of the SHA-256 of the key."""
    digest = hashlib.sha256(key.encode()).digest()
    return base64.urlsafe_b64encode(digest[:_HASH_BYTES]).decode("ascii")


class SessionStore(db.SessionStore):
    """Django's own, but for how a row is read, and what it has for a key."""

    def _get_session_from_db(self) -> Session | None:
        rows = _session.rows(key=stored_key(self.session_key or ""))
        session: Session | None = _SESSION.stored(rows[0]) if rows else None
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session

    def exists(self, session_key: str) -> bool:
        return super().exists(stored_key(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        made: Session = super().create_model_instance(data)  # type: ignore[assignment] # its model is this
        made.session_key = stored_key(made.session_key)
        return made

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key:
            super().delete(stored_key(key))
