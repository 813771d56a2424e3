"""Records of what was published; and accounts, of which none may both review a round and see into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from fartbench.admin import ViewOnly
from fartbench.models import RoundState
from review.models import CohortMember
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
        """Refuse staff rights to whoever reviews: staff sees into rounds."""
        found = super().clean()
        if self.cleaned_data.get("is_staff") or self.cleaned_data.get("is_superuser"):
            places = CohortMember.objects.filter(reviewer__user=self.instance.pk)
            names = places.exclude(round__state=RoundState.PUBLISHED).values_list("round__name", flat=True)
            if rounds := ", ".join(sorted(set(names))):
                raise ValidationError(
                    f"This account reviews {rounds}, and staff could see into it. "
                    "Make another account for staff work, or wait until the round is published."
                )
        return found


admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(AccountsAdmin):
    form = AccountForm
