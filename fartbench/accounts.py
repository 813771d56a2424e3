"""Accounts: every change of who may come in and what they may do is an entry of the audit trail.

Receivers see to that, whichever page or command makes the change. Entries name what changed;
passwords and addresses are in none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

from fartbench import audit

_SECRET = ("password", "email", "username", "first_name", "last_name")
_RIGHTS = ("is_active", "is_staff", "is_superuser")
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def remember_request(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Middleware: let entries about accounts name who made the request."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        token = _request.set(request)
        try:
            return get_response(request)
        finally:
            _request.reset(token)

    return respond


def account_name(user: User) -> str:
    """Return how the audit trail calls an account: a reviewer's code, else its name, and never an
    address.
    """
    reviewer = getattr(user, "reviewer", None)
    name = user.get_username()
    if reviewer:
        return str(reviewer.code)
    if "@" in name:
        return f"account {user.pk}"
    return name


def _actor() -> str:
    user: Any = getattr(_request.get(), "user", None)
    if getattr(user, "is_authenticated", False):
        return account_name(user)
    return audit.SYSTEM


def _record(action: str, **details: Any) -> None:
    with transaction.atomic():
        audit.record(action, actor=_actor(), **details)


@receiver(pre_save, sender=User)
def record_change(
    instance: User, raw: bool, update_fields: frozenset[str] | None, **_: Any
) -> None:
    """Record which fields of an account change.

    A password that is only hashed anew, at a login, did not change.
    """
    fields = [
        name for name in (*_SECRET, *_RIGHTS) if update_fields is None or name in update_fields
    ]
    if fields and instance.pk and not raw:
        stored = User.objects.filter(pk=instance.pk).values(*fields).first()
    else:
        stored = None
    if stored is None:
        return
    changed = {name for name in fields if stored[name] != getattr(instance, name)}
    is_rehashed = (
        update_fields == frozenset({"password"}) and getattr(instance, "_password", None) is None
    )
    is_rehashed = is_rehashed and instance.has_usable_password()
    secret = [
        name for name in _SECRET if name in changed and not (name == "password" and is_rehashed)
    ]
    rights = {name: [stored[name], getattr(instance, name)] for name in _RIGHTS if name in changed}
    if secret or rights:
        _record("account changed", account=account_name(instance), fields=secret, **rights)


@receiver(post_save, sender=User)
def record_making(instance: User, created: bool, raw: bool, **_: Any) -> None:
    """Record a new account with rights; one of a reviewer is made with a cohort, which is
    recorded.
    """
    if created and not raw and (instance.is_staff or instance.is_superuser):
        rights = {name: getattr(instance, name) for name in _RIGHTS}
        _record("account made", account=account_name(instance), **rights)


@receiver(post_delete, sender=User)
def record_end(instance: User, **_: Any) -> None:
    """Record that an account was deleted."""
    _record("account deleted", account=account_name(instance))


@receiver(m2m_changed, sender=User.groups.through)
@receiver(m2m_changed, sender=User.user_permissions.through)
@receiver(m2m_changed, sender=Group.permissions.through)
def record_rights(
    instance: Model,
    action: str,
    reverse: bool,
    model: type[Model],
    pk_set: set[int] | None,
    **_: Any,
) -> None:
    """Record groups and permissions that are given to an account or a group, or taken away."""
    if action not in ("pre_add", "pre_remove", "pre_clear"):
        return
    rows = model._base_manager.filter(pk__in=pk_set or ()).order_by("pk")
    if action == "pre_clear":
        names = ["all"]
    else:
        names = [_name(row) for row in rows]
    _record(
        "rights changed",
        of=_name(instance),
        **{action.removeprefix("pre_"): names},
        reverse=reverse,
    )


@receiver(post_delete, sender=Group)
def record_end_of_group(instance: Group, **_: Any) -> None:
    """Record that a group, and with it what it gave to accounts, was deleted."""
    _record("group deleted", group=instance.name)


def _name(row: Model) -> str:
    if isinstance(row, User):
        return account_name(row)
    if isinstance(row, Permission):
        return f"{row.content_type.app_label}.{row.codename}"
    return f"group {row}"
