"""Addresses of everybody who does not review: visitors, staff and admins."""

from django.urls import path

from scoring.views import public, staff

urlpatterns = [
    path("", public.home, name="home"),
    path("leaderboards/", public.leaderboards, name="leaderboards"),
    path("rounds/<str:name>/", public.leaderboard, name="leaderboard"),
    path("rounds/<str:name>/configurations/<str:configuration>/", public.configuration, name="configuration"),
    path("rounds/<str:name>/clips/<str:stimulus_id>", public.clip, name="published-clip"),
    path("method/", public.method, name="method"),
    path("method/<str:name>/<str:version>/", public.method, name="method"),
    path("staff/", staff.home, name="staff-home"),
    path("staff/new-round", staff.new_round, name="staff-new-round"),
    path("staff/audit/", staff.audit_trail, name="staff-audit"),
    path("staff/rounds/<str:name>/", staff.round_page, name="staff-round"),
    path("staff/rounds/<str:name>/progress", staff.progress, name="staff-progress"),
    path("staff/rounds/<str:name>/preview/", staff.preview, name="staff-preview"),
    path("staff/rounds/<str:name>/export", staff.export, name="staff-export"),
    path("staff/rounds/<str:name>/step", staff.step, name="staff-step"),
]
