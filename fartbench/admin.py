"""Records of the foundation, to look at: what changes them are services, so nothing here can be
edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from fartbench.entrance import RecordsLoginForm
from fartbench.models import AuditEntry, ProtocolVersion, Round

if TYPE_CHECKING:  # the class itself takes no parameter when the program runs
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin

admin.site.site_header = admin.site.site_title = "FARTBench records"
admin.site.index_title = "Records"
admin.site.login_form = RecordsLoginForm


class FilteredByItsList(ModelAdmin):
    """Records that an address can filter only as the filters beside their list do.

    Django lets any column be asked for in the address, shown or not, and by `startswith` a hidden
    one can be read letter by letter. Every class of records derives from this one.
    """

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow what a filter of the list itself puts into an address, for every account."""
        listed = set()
        for name in self.get_list_filter(request):
            for end in _ENDS_OF_FILTERS:
                listed.add(f"{name}{end}")
        return lookup in listed and super().lookup_allowed(lookup, value, request)


# What Django's filters of choices, yes or no, values and related rows add to the name of their
# field.
_ENDS_OF_FILTERS = ("", "__exact", "__isnull", "__id__exact")


class ViewOnly(FilteredByItsList):
    """Records that are looked at and never changed here, whatever the account may do."""

    actions = None
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False


admin.site.unregister(Group)


@admin.register(Group)
class GroupsAdmin(FilteredByItsList, GroupAdmin):
    """Groups of accounts."""


@admin.register(ProtocolVersion)
class ProtocolVersionAdmin(ViewOnly):
    list_display = ("name", "version", "digest", "loaded_at", "frozen_at")
    fields = ("name", "version", "digest", "loaded_at", "frozen_at", "content")


@admin.register(Round)
class RoundAdmin(ViewOnly):
    # Its seed is a secret: the reviewers' orders come from it.
    list_display = (
        "name",
        "protocol",
        "state",
        "created_at",
        "opened_at",
        "closed_at",
        "published_at",
    )
    list_select_related = ("protocol",)
    list_filter = ("state",)
    fields = (*list_display, "replicates", "scene_keys", "incomplete_reason")


@admin.register(AuditEntry)
class AuditEntryAdmin(ViewOnly):
    # Details are left to the audit page, which knows what must not be shown while a round is open.
    list_display = ("sequence", "at", "actor", "action", "round_name")
    list_filter = ("action",)
    search_fields = ("actor", "round_name")
    fields = (*list_display, "previous_hash", "hash")
