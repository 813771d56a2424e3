"""Addresses of admins who commission clips, and of experts who pass scenarios."""

from django.urls import path

from web.generation import prompts, rounds, samples, verdicts

urlpatterns = [
    path("staff/generation/", rounds.home, name="generation-home"),
    path("staff/generation/new/", rounds.build, name="generation-build"),
    path("staff/generation/doubts/", samples.doubts, name="generation-doubts"),
    path("staff/generation/accounts/<str:provider>", samples.account, name="generation-account"),
    path("staff/generation/prompts/<int:pk>/", prompts.prompt, name="generation-prompt"),
    path("staff/generation/samples/<int:pk>/", samples.sample_page, name="generation-sample"),
    path("staff/generation/samples/<int:pk>/settle", samples.settle, name="generation-settle"),
    path("staff/generation/samples/<int:pk>/clip", samples.raw_clip, name="generation-clip"),
    path("staff/generation/rounds/<str:name>/", rounds.round_page, name="generation-round"),
    path(
        "staff/generation/rounds/<str:name>/progress", rounds.progress, name="generation-progress"
    ),
    path("staff/generation/rounds/<str:name>/prompts/", prompts.prompts, name="generation-prompts"),
    path(
        "staff/generation/rounds/<str:name>/manifest.csv",
        rounds.manifest,
        name="generation-manifest",
    ),
    path("staff/generation/rounds/<str:name>/act", rounds.act, name="generation-act"),
    path("staff/scenarios/", verdicts.home, name="scenario-protocols"),
    path("staff/scenarios/<str:name>/<str:version>/", verdicts.scenarios, name="scenarios"),
    path("staff/scenarios/<str:name>/<str:version>/<str:key>/", verdicts.scenario, name="scenario"),
    path(
        "staff/scenarios/<str:name>/<str:version>/<str:key>/verdict",
        verdicts.give,
        name="scenario-verdict",
    ),
]
