"""Addresses of everybody who does not review: visitors, staff and admins."""

from django.urls import path

from web.views import (
    alignment,
    differences,
    insight,
    pairs,
    public,
    release_files,
    releases,
    reviewers,
    rollouts,
    sound,
    staff,
    steps,
)
from web.views import help as help_views

urlpatterns = [
    path("", public.home, name="home"),
    path("leaderboards/", public.leaderboards, name="leaderboards"),
    path("state/", public.state, name="state"),
    path("rounds/<str:name>/", releases.leaderboard, name="leaderboard"),
    path(
        "rounds/<str:name>/configurations/<str:configuration>/",
        releases.configuration,
        name="configuration",
    ),
    path(
        "rounds/<str:name>/rollouts/<str:configuration>/<str:scene>/<int:replicate>/",
        rollouts.rollout,
        name="rollout",
    ),
    path(
        "rounds/<str:name>/rollouts/<str:configuration>/<str:scene>/<int:replicate>/timeline.svg",
        rollouts.timeline,
        name="rollout-timeline",
    ),
    path("rounds/<str:name>/differences/", differences.differences, name="differences"),
    path("rounds/<str:name>/scenes/", releases.scenes, name="scenes"),
    path("rounds/<str:name>/scenes/<str:scene>/", releases.scene, name="scene"),
    path("rounds/<str:name>/ratings/", releases.ratings, name="ratings"),
    path("rounds/<str:name>/agreement/", releases.agreement, name="agreement"),
    path("rounds/<str:name>/human-ai/", releases.human_ai, name="human-ai"),
    path("rounds/<str:name>/pairs/", releases.preference, name="preference"),
    path("rounds/<str:name>/alignment/", alignment.alignment, name="alignment"),
    path("rounds/<str:name>/coverage/", releases.coverage, name="coverage"),
    path("rounds/<str:name>/releases/", release_files.releases, name="releases"),
    path(
        "rounds/<str:name>/releases/<int:number>/all.zip",
        release_files.archive,
        name="release-archive",
    ),
    path(
        "rounds/<str:name>/releases/<int:number>/<path:path>",
        release_files.file,
        name="release-file",
    ),
    path("rounds/<str:name>/clips/<str:stimulus_id>", public.clip, name="published-clip"),
    path("rounds/<str:name>/tests/", releases.tests, name="tests"),
    path("rounds/<str:name>/sounds/", sound.sounds, name="sounds"),
    path("rounds/<str:name>/sounds/listen", sound.sound_listen, name="sound-listen"),
    path("rounds/<str:name>/sounds/<str:stimulus_id>/clip", sound.sound_clip, name="sound-clip"),
    path(
        "rounds/<str:name>/sounds/<str:stimulus_id>/verdict",
        sound.sound_verdict,
        name="sound-verdict",
    ),
    path("help/", help_views.help_index, name="help"),
    path("help/<str:slug>/", help_views.help_page, name="help-page"),
    path("method/", public.method, name="method"),
    path(
        "method/<str:name>/<str:version>/<slug:scene>/", public.specification, name="specification"
    ),
    path(
        "method/<str:name>/<str:version>/<slug:scene>.yaml",
        public.specification_yaml,
        name="specification-file",
    ),
    path("method/<str:name>/<str:version>/", public.method, name="method"),
    path("staff/", staff.home, name="staff-home"),
    path("staff/audit/", staff.audit_trail, name="staff-audit"),
    path("staff/audit/trail.csv", staff.audit_csv, name="staff-audit-csv"),
    path("staff/health/", staff.health, name="staff-health"),
    path("staff/rounds/<str:name>/", staff.round_page, name="staff-round"),
    path("staff/rounds/<str:name>/progress", staff.progress, name="staff-progress"),
    path("staff/rounds/<str:name>/reviewers/", reviewers.reviewers, name="staff-reviewers"),
    path(
        "staff/rounds/<str:name>/reviewers/links.csv",
        reviewers.invite_links,
        name="staff-invite-links",
    ),
    path("staff/rounds/<str:name>/pairs/", pairs.pairs, name="staff-pairs"),
    path("staff/rounds/<str:name>/preview/", insight.preview, name="staff-preview"),
    path(
        "staff/rounds/<str:name>/preview/<str:configuration>/<str:scene>/<int:replicate>/timeline.svg",
        insight.preview_timeline,
        name="staff-preview-timeline",
    ),
    path("staff/rounds/<str:name>/blinding/", insight.blinding, name="staff-blinding"),
    path("staff/rounds/<str:name>/fingerprint/", insight.fingerprint, name="staff-fingerprint"),
    path("staff/rounds/<str:name>/unblind/", insight.unblind, name="staff-unblind"),
    path("staff/rounds/<str:name>/diagnostics/", insight.diagnostics, name="staff-diagnostics"),
    path("staff/rounds/<str:name>/export", staff.export, name="staff-export"),
    path("staff/rounds/<str:name>/step", steps.step, name="staff-step"),
]
