"""Addresses of admins who commission clips, and of experts who pass scenarios."""

from django.urls import path

from web.generation import (
    clip_table,
    clips,
    deleting,
    keys,
    launching,
    library,
    making,
    prompts,
    rounds,
    samples,
    verdicts,
    watching,
)

urlpatterns = [
    path("staff/generation/", rounds.home, name="generation-home"),
    path("staff/new-round/", making.make_round, name="make-round"),
    path("staff/library/", library.library, name="generation-library"),
    path("staff/keys/", keys.keys, name="generation-keys"),
    path("staff/generation/doubts/", samples.doubts, name="generation-doubts"),
    path("staff/generation/accounts/<str:provider>", samples.account, name="generation-account"),
    path("staff/generation/prompts/<int:pk>/", prompts.prompt, name="generation-prompt"),
    path("staff/generation/samples/<int:pk>/", samples.sample_page, name="generation-sample"),
    path("staff/generation/samples/<int:pk>/settle", samples.settle, name="generation-settle"),
    path("staff/generation/samples/<int:pk>/watch/", watching.watch, name="generation-watch"),
    path("staff/generation/samples/<int:pk>/watch/raw", watching.raw, name="generation-watch-raw"),
    path(
        "staff/generation/samples/<int:pk>/watch/<int:copy>",
        watching.blind,
        name="generation-watch-blind",
    ),
    path("staff/generation/samples/<int:pk>/clip", samples.raw_clip, name="generation-clip"),
    path("staff/generation/rounds/<str:name>/", rounds.round_page, name="generation-round"),
    path(
        "staff/generation/rounds/<str:name>/progress", rounds.progress, name="generation-progress"
    ),
    path(
        "staff/generation/rounds/<str:name>/prompts/",
        prompts.prompts_page,
        name="generation-prompts",
    ),
    path(
        "staff/generation/rounds/<str:name>/manifest.csv",
        rounds.manifest,
        name="generation-manifest",
    ),
    path(
        "staff/generation/rounds/<str:name>/launch/",
        launching.launch_page,
        name="generation-launch",
    ),
    path("staff/generation/rounds/<str:name>/delete/", deleting.delete, name="generation-delete"),
    path("staff/generation/rounds/<str:name>/clips/", clips.clips, name="generation-clips"),
    path(
        "staff/generation/rounds/<str:name>/clips/<str:key>/",
        clip_table.upload_page,
        name="generation-upload",
    ),
    path(
        "staff/generation/rounds/<str:name>/clips/<str:key>/piece",
        clips.piece,
        name="generation-piece",
    ),
    path(
        "staff/generation/rounds/<str:name>/clips/<str:key>/state",
        clips.upload_state,
        name="generation-upload-state",
    ),
    path(
        "staff/generation/rounds/<str:name>/clips/<str:key>/look",
        clips.look,
        name="generation-look",
    ),
    path(
        "staff/generation/rounds/<str:name>/clips/<str:key>/posters/<int:number>",
        clips.poster,
        name="generation-poster",
    ),
    path(
        "staff/generation/rounds/<str:name>/clips/<str:key>/table.csv",
        clips.guessed_table,
        name="generation-table",
    ),
    path("staff/scenarios/", verdicts.home, name="scenario-protocols"),
    path("staff/scenarios/<str:name>/<str:version>/", verdicts.scenarios, name="scenarios"),
    path("staff/scenarios/<str:name>/<str:version>/<str:key>/", verdicts.scenario, name="scenario"),
    path(
        "staff/scenarios/<str:name>/<str:version>/<str:key>/verdict",
        verdicts.give,
        name="scenario-verdict",
    ),
]
