"""Sessions: how long one lasts, and how all of an account are ended at once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from fartbench.sessionstore import stored_key


@receiver(user_logged_in)
def shorten_for_staff(request: HttpRequest, user: User, **_: Any) -> None:
    """Let a session with staff rights end sooner: anyone who finds it open can do more."""
    if user.is_staff:
        request.session.set_expiry(settings.STAFF_SESSION_HOURS * 3600)


def end_sessions(user: User, *, but: str | None = None) -> int:
    """End every session of an account, except the one with the key ``but`` (as its cookie has it);
    return how many there were.
    """
    spared = stored_key(but) if but else None
    keys = []
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        is_theirs = session.get_decoded().get(SESSION_KEY) == str(user.pk)
        if is_theirs and session.session_key != spared:
            keys.append(session.session_key)
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)
