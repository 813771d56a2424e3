"""Accounts as the pages need them: whether one is a reviewer comes along in the same query."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User

from fartbench.compiled import CompiledQuery, Part, stored_parts

_USER = Part(User)


def _with_reviewer(pk: int) -> Any:
    reviewer = _reviewer()
    return User.objects.filter(pk=pk).values_list(*_USER.columns, *reviewer.columns)


def _reviewer() -> Part:
    from review.models import Reviewer  # noqa: PLC0415 - accounts are asked for only when all models are there

    return Part(Reviewer, "reviewer__")


_account = CompiledQuery(_with_reviewer)


class AccountBackend(ModelBackend):
    """Django's own, with the reviewer of an account."""

    def get_user(self, user_id: Any) -> User | None:
        rows = _account.rows(pk=int(user_id))
        if not rows:
            return None
        user, reviewer = stored_parts(rows[0], (_USER, _reviewer()))
        if reviewer.pk is not None:
            reviewer.user = user
        else:
            User._meta.get_field("reviewer").set_cached_value(user, None)
        return user if self.user_can_authenticate(user) else None
