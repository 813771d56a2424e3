"""Accounts as the pages need them: whether one is a reviewer comes along in the same query."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User


class AccountBackend(ModelBackend):
    """Django's own, with the reviewer of an account."""

    def get_user(self, user_id: Any) -> User | None:
        user = User.objects.select_related("reviewer").filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
