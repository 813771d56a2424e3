"""Records of the review: who reviews, and answers of rounds that are closed.

Orders and tokens are never shown.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from fartbench.admin import ViewOnly
from fartbench.models import RoundState
from review.models import Answer, AnswerSheet, CohortMember, Invite, MistakeReport, Reviewer

CLOSED = (RoundState.LOCKED, RoundState.PUBLISHED)


class AfterClose(ViewOnly):
    """Records that exist for nobody before their round is closed; ``round_path`` leads to the
    round.
    """

    round_path: str

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(**{f"{self.round_path}__state__in": CLOSED})


class AddressesForAdmins(ViewOnly):
    """Records that name people: for accounts that may change rounds."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm(
            "fartbench.change_round"
        )


@admin.register(Reviewer)
class ReviewerAdmin(AddressesForAdmins):
    list_display = ("code", "email", "simulated")
    search_fields = ("code", "email")
    fields = list_display


@admin.register(CohortMember)
class CohortMemberAdmin(AddressesForAdmins):
    list_display = ("round", "reviewer", "role", "consented_at", "sound_checked_at", "left_at")
    list_select_related = ("round", "reviewer")
    list_filter = ("round", "role")
    fields = (*list_display, "left_reason", "sound_check")


@admin.register(Invite)
class InviteAdmin(AddressesForAdmins):
    list_display = ("member", "created_at", "expires_at", "used_at", "revoked_at")
    list_select_related = ("member__round", "member__reviewer")
    fields = list_display


@admin.register(AnswerSheet)
class AnswerSheetAdmin(AfterClose):
    round_path = "stimulus__round"
    list_display = ("reviewer", "stimulus", "source", "locked_at", "unplayable_at")
    list_select_related = ("reviewer", "stimulus")
    list_filter = ("source",)
    fields = (*list_display, "started_at", "unplayable_reason", "playback", "digest")


@admin.register(Answer)
class AnswerAdmin(AfterClose):
    round_path = "sheet__stimulus__round"
    list_display = ("sheet", "question", "value", "na_reason")
    list_select_related = ("sheet__reviewer",)
    list_filter = ("question",)
    fields = list_display


@admin.register(MistakeReport)
class MistakeReportAdmin(AfterClose):
    round_path = "sheet__stimulus__round"
    list_display = ("sheet", "text", "reported_at")
    list_select_related = ("sheet__reviewer",)
    fields = list_display
