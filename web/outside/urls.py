"""Addresses for other sites and programs; all answer the same to everybody."""

from django.urls import path

from web.outside import badges, citing, feed, frames, tables

urlpatterns = [
    path("public/feed.atom", feed.releases, name="public-feed"),
    path("public/oembed", frames.oembed, name="oembed"),
    path("public/rounds.json", tables.rounds, name="public-rounds"),
    path("public/rounds/<str:name>/badge.svg", badges.of_round, name="round-badge"),
    path(
        "public/rounds/<str:name>/configurations/<str:configuration>/badge.svg",
        badges.of_configuration,
        name="configuration-badge",
    ),
    path(f"public/rounds/<str:name>/{citing.BIBTEX}", citing.bibtex, name="cite-bibtex"),
    path(f"public/rounds/<str:name>/{citing.CITATION}", citing.citation, name="cite-file"),
    path("public/rounds/<str:name>/<slug:table>.csv", tables.as_csv, name="public-table-csv"),
    path("public/rounds/<str:name>/<slug:table>.json", tables.as_json, name="public-table-json"),
    path(
        "public/rounds/<str:name>/releases/<int:number>/<slug:table>.csv",
        tables.as_csv,
        name="public-release-csv",
    ),
    path(
        "public/rounds/<str:name>/releases/<int:number>/<slug:table>.json",
        tables.as_json,
        name="public-release-json",
    ),
    path("embed/rounds/<str:name>/board/", frames.framed_board, name="embedded-board"),
    path("embed/rounds/<str:name>/plots/<slug:plot>/", frames.framed_plot, name="embedded-plot"),
]
