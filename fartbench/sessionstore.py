"""Sessions as rows, as Django's own keep them, found with a query that is made once: every call
looks for one.
"""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from fartbench.compiled import CompiledQuery, Part

_SESSION = Part(Session)
_session = CompiledQuery(lambda key: Session.objects.filter(pk=key).values_list(*_SESSION.columns))


class SessionStore(db.SessionStore):
    """Django's own, but for how a row is read."""

    def _get_session_from_db(self) -> Session | None:
        rows = _session.rows(key=self.session_key or "")
        session: Session | None = _SESSION.stored(rows[0]) if rows else None
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session
