"""Accounts with judges' services. What judges answered is no page's business before a release."""

from __future__ import annotations

from django.contrib import admin

from fartbench.admin import ModelAdmin
from judging.models import JudgeAccount


@admin.register(JudgeAccount)
class JudgeAccountAdmin(ModelAdmin):
    list_display = ("service", "max_in_flight", "min_interval_s", "cooldown_until", "paused_because")
    readonly_fields = ("next_at",)
