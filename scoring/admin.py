"""Records of what was published; and accounts, of which none may both review a round and see into
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from fartbench import audit
from fartbench.accounts import account_name
from fartbench.admin import FilteredByItsList, ViewOnly
from review.selectors import rounds_reviewed_by
from scoring.models import Release

if TYPE_CHECKING:  # the class itself takes no parameter when the program runs
    ChangeForm = UserChangeForm[User]
    AccountsAdmin = UserAdmin[User]
else:
    ChangeForm, AccountsAdmin = UserChangeForm, UserAdmin


@admin.register(Release)
class ReleaseAdmin(ViewOnly):
    list_display = ("round", "number", "created_at", "demonstration", "digest")
    list_select_related = ("round",)
    list_filter = ("demonstration",)


class AccountForm(ChangeForm):
    """An account without staff rights while it reviews a round that is not published."""

    def clean(self) -> dict[str, Any] | None:
        """Refuse staff rights to anyone who reviews: staff sees into rounds."""
        found = super().clean()
        wants_rights = self.cleaned_data.get("is_staff") or self.cleaned_data.get("is_superuser")
        if wants_rights and (rounds := rounds_reviewed_by(self.instance)):
            raise ValidationError(
                f"This account reviews {', '.join(rounds)}, and staff could see into it. "
                "Make another account for staff work, or wait until the round is published."
            )
        return found


admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(FilteredByItsList, AccountsAdmin):
    """Accounts. `fartbench.accounts` records every change of one."""

    form = AccountForm

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save an account; one that is made here is recorded with who made it, since that person
        knows its password.
        """
        super().save_model(request, obj, form, change)
        if not change:
            audit.record(
                "account added", actor=request.user.get_username(), account=account_name(obj)
            )

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 - Django's signature
        form_url: str = "",
    ) -> HttpResponse:
        """Set a password, but not that of somebody in a cohort: who knows it could answer in their
        name.
        """
        user = self.get_object(request, unquote(id))
        if user is not None and (rounds := rounds_reviewed_by(user)):
            self.message_user(
                request,
                f"This account reviews {', '.join(rounds)}. Its password cannot be set here, since "
                "anyone who knows it could answer in the reviewer's name. A new invite link lets "
                "the reviewer in.",
                messages.ERROR,
            )
            return redirect("admin:auth_user_change", user.pk)
        with transaction.atomic():  # the new password and its entry, or neither
            return super().user_change_password(request, id, form_url)
