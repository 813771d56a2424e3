"""What visitors see: published releases as they were frozen, and nothing of any other round."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from blinding.models import Stimulus
from fartbench.models import ProtocolVersion
from generation.models import Configuration, Family
from review.models import Source
from rounds import opening as rounds
from scoring.models import Release
from tests.factories import make_protocol
from tests.scoring.rows import make_filled_round, make_open_round, make_published_round
from web.pages.board import Choice
from web.pages.published import board_of

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

NO_EVENT = {
    "event": "no",
    "cause": "na:no_event",
    "detail": "no",
    "sound": "na:no_sound",
    "timing": "na:no_event",
}
SCENES = ["r01-lift", "r01-squat", "r01-chair", "r01-toast"]


def text_of(client: Client, name: str, *args: str) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_a_site_without_data_says_what_to_do_first(client: Client) -> None:
    home = text_of(client, "home")
    assert "as an admin and load a protocol" in home
    for name in ("home", "method", "state"):
        assert "manage.py" not in text_of(client, name), "a browser is no shell"
    assert "No round has been published yet" in text_of(client, "leaderboards")
    assert "No protocol has been loaded yet" in text_of(client, "method")


def test_before_the_first_release_the_home_page_shows_the_scenes_without_clips(
    client: Client,
) -> None:
    make_open_round(name="unseen", scenes=SCENES[:1])
    home = text_of(client, "home")
    assert "The Creaking Chair" in home
    assert "No round has been published yet" in home
    assert "<video" not in home
    assert "unseen" not in home
    assert "alpha" not in home


def test_the_home_page_shows_a_clip_of_each_scene_and_who_leads(client: Client) -> None:
    release = make_published_round({("beta", "r01-squat"): NO_EVENT}, name="spring")
    home = text_of(client, "home")
    assert home.count("<video") == 4
    for address in clip_addresses(release):
        assert client.get(address).status_code == 200
    assert home.index("alpha") < home.index("beta")
    assert reverse("leaderboard", args=["spring"]) in home


def clip_addresses(release: Release) -> list[str]:
    return [
        reverse("published-clip", args=[release.round.name, pk])
        for pk in Stimulus.objects.filter(round=release.round).values_list("pk", flat=True)
    ]


def test_the_sample_of_a_scene_is_one_that_got_it_right(client: Client) -> None:
    # Both have 6 of 8 and share the first rank, and alpha comes first by name; in the squat only
    # beta is right.
    release = make_published_round(
        {("alpha", "r01-squat"): NO_EVENT, ("beta", "r01-lift"): NO_EVENT},
        configurations=("alpha", "beta"),
    )
    samples = {
        sample.scene.key: sample.row.configuration for sample in client.get("/").context["samples"]
    }
    assert samples == {
        "r01-lift": "alpha",
        "r01-squat": "beta",
        "r01-chair": "alpha",
        "r01-toast": "alpha",
    }
    assert release.scores["leaderboard"][0]["rank"] == release.scores["leaderboard"][1]["rank"] == 1


PAGES = (
    ("leaderboard", ()),
    ("configuration", ("alpha",)),
    ("differences", ()),
    ("scenes", ()),
    ("scene", ("r01-lift",)),
    ("ratings", ()),
    ("agreement", ()),
    ("coverage", ()),
    ("releases", ()),
)


def correct(release: Release, name: str, **changes: Any) -> Release:
    """A release never changes, so a second one says something else in one of its documents."""
    second = Release.objects.create(
        round=release.round, number=2, created_at=timezone.now(), scores={}, digest="f" * 64,
        manifest=release.manifest, replaces=release, correction_reason="a clip was counted twice",
    )  # fmt: skip
    for document in release.documents.all():
        content = document.content | changes if document.name == name else document.content
        second.documents.create(name=document.name, content=content)
    return second


def test_a_page_shows_what_the_release_froze_and_computes_nothing(client: Client) -> None:
    release = make_published_round(name="spring", scenes=SCENES[:1])
    correct(release, "configuration/alpha", factual_score="13/2", earned="13/2", rank=7)
    page = text_of(client, "leaderboard", "spring")
    assert "a clip was counted twice" in page
    assert "<b>6.5</b>" in page
    assert "6.5 of 2 on 1 clip" in page
    assert 'data-value="7"' in page
    assert "f" * 64 in page
    assert release.round.protocol.digest in page
    listed = text_of(client, "releases", "spring")
    assert listed.index("f" * 64) < listed.index(release.digest)
    assert "Replaced by release 2" in listed


def test_the_pages_of_a_release_read_no_answers_and_cost_few_queries(client: Client) -> None:
    make_published_round(name="spring", scenes=SCENES[:1])
    for name, args in PAGES:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(reverse(name, args=["spring", *args])).status_code == 200
        assert len(captured) <= 4, name
        read = " ".join(query["sql"] for query in captured)
        for one in ("review_", "blinding_", '"scoring_release"."scores"'):
            assert one not in read, name


def test_every_estimate_has_its_interval_and_n_or_says_why_not(client: Client) -> None:
    make_published_round(
        {("beta", "r01-squat"): NO_EVENT},
        name="spring",
        configurations=("alpha", "beta", "gamma", "mu"),
    )
    board = text_of(client, "leaderboard", "spring")
    assert re.search(r'<b>6</b> <span class="figure__reach"[^>]*>[\d.]+ to [\d.]+</span>', board)
    assert "points apart before chance alone" in board
    for name, args in PAGES[:7]:
        page = text_of(client, name, "spring", *args)
        figures = page.split('<span class="figure">')[1:]
        assert figures, name
        for figure in (text[:400] for text in figures):
            assert "n = " in figure
            assert (
                "figure__reach" in figure or "no interval: " in figure or "undefined: " in figure
            ), figure


def test_a_leaderboard_is_filtered_by_track_and_family_and_put_in_another_order(
    client: Client,
) -> None:
    for name, family, track in (
        ("alpha", "greek", "core-av"),
        ("beta", "greek", "legacy"),
        ("zeta", "other", "core-av"),
    ):
        row = Family.objects.get_or_create(name=family, defaults={"label": family})[0]
        Configuration.objects.create(name=name, label=name, family=row, track=track)
    make_published_round(
        {("alpha", "r01-lift"): NO_EVENT},
        name="spring",
        configurations=("alpha", "beta", "zeta"),
        scenes=SCENES[:1],
    )

    def names(**query: str) -> list[str]:
        response = client.get(reverse("leaderboard", args=["spring"]), query)
        return [row.configuration for row in response.context["board"].rows]

    assert names() == [
        "alpha",
        "zeta",
        "beta",
    ]  # nobody is ranked in one scene; legacy tracks stand apart
    assert names(sort="name") == ["alpha", "beta", "zeta"]
    assert names(sort="score") == ["zeta", "beta", "alpha"]
    assert names(track="legacy") == ["beta"]
    assert names(family="greek", sort="name") == ["alpha", "beta"]
    assert names(family="greek", track="core-av", page="99") == ["alpha"]
    assert names(track="<b>") == []
    assert names(sort="secret") == names()
    # what a configuration stands for is fixed when a round with it opens
    with (
        pytest.raises(IntegrityError, match="generation_configuration_is_frozen"),
        transaction.atomic(),
    ):
        Configuration.objects.filter(name="beta").update(track="core-av")
    assert names(track="legacy") == ["beta"]


def test_a_large_leaderboard_is_read_a_page_at_a_time() -> None:
    release = make_published_round(name="spring", scenes=SCENES[:1], configurations=("c", "a", "b"))
    first, second, beyond = (
        board_of(release, rows=2, choice=Choice.of({"page": page, "sort": "name"}))
        for page in ("1", "2", "77")
    )
    assert [row.configuration for row in first.rows] == ["a", "b"]
    assert (
        [row.configuration for row in second.rows]
        == [row.configuration for row in beyond.rows]
        == ["c"]
    )
    assert not first.is_whole  # what a script sorts must be the whole


def test_coverage_and_scenes_name_what_did_not_come_with_its_reason(client: Client) -> None:
    make_published_round(
        name="spring", scenes=SCENES[:1], refused={("beta", "r01-lift"): "=policy <b>no</b>"}
    )
    for name, args in (("coverage", []), ("scene", ["r01-lift"]), ("configuration", ["beta"])):
        assert "=policy &lt;b&gt;no&lt;/b&gt;" in text_of(client, name, "spring", *args)
    assert client.get(reverse("scene", args=["spring", "r01-squat"])).status_code == 404


@pytest.mark.parametrize("refusals", [{}, {("alpha", "r01-lift"): "not allowed"}])
def test_a_round_of_one_configuration_or_of_none_that_delivered_has_all_its_pages(
    client: Client, refusals: dict[Any, str]
) -> None:
    round_ = make_filled_round(
        name="spring", scenes=SCENES[:2], configurations=("alpha",), refused=refusals
    )
    rounds.open_round(round_=round_, actor="test")
    rounds.close_round(round_=round_, actor="test", incomplete_reason="nobody came")
    rounds.publish(round_=round_, actor="test")
    for name, args in PAGES:
        page = text_of(client, name, "spring", *args)
        words = re.sub(r"<[^>]*>", " ", page)
        assert not re.search(r"\b(nan|None|inf)\b", words), name


def test_a_leaderboard_shows_gates_votes_ranks_and_outcomes(client: Client) -> None:
    make_published_round(
        {("beta", "r01-squat"): NO_EVENT},
        name="spring",
        refused={("beta", "r01-toast"): "=policy <b>no</b>"},
        configurations=("alpha", "beta"),
    )
    page = text_of(client, "leaderboard", "spring")
    assert "Event: Yes, 4 Yes" in page
    assert "Event: No, 4 No" in page
    assert "Source or cause: N/A, 4 N/A" in page
    assert "4 of 6 on 3 clips" in page
    assert "Refused" in page
    assert "=policy &lt;b&gt;no&lt;/b&gt;" in page
    assert "7 delivered and scored of 8" in page


def test_a_release_with_simulated_answers_is_marked_wherever_it_shows(client: Client) -> None:
    make_published_round(name="spring", source=Source.SIMULATED)
    assert "Simulated: a demonstration" in text_of(client, "home")
    assert "Simulated: a demonstration" in text_of(client, "leaderboard", "spring")
    assert "Simulated: a demonstration" in text_of(client, "configuration", "spring", "alpha")
    assert "Demonstration" in text_of(client, "leaderboards")


def test_a_release_with_answers_of_people_is_not_marked(client: Client) -> None:
    make_published_round(name="spring")
    for name, args in (("home", []), ("leaderboard", ["spring"]), ("leaderboards", [])):
        assert "emonstration" not in text_of(client, name, *args)


def test_a_round_closed_incomplete_says_why_and_lists_the_unranked(client: Client) -> None:
    round_ = make_open_round(name="spring", configurations=("alpha",), scenes=SCENES[:1])
    rounds.close_round(round_=round_, actor="test", incomplete_reason="two left <early>")
    rounds.publish(round_=round_, actor="test")
    page = text_of(client, "leaderboard", "spring")
    assert "Closed incomplete:</strong> two left &lt;early&gt;" in page
    assert "Not ranked" in page
    assert "No ranks." in text_of(client, "leaderboards")


def test_the_reason_for_no_rank_names_scenes_by_their_titles(client: Client) -> None:
    round_ = make_open_round(name="spring", configurations=("alpha",))
    rounds.close_round(round_=round_, actor="test", incomplete_reason="nobody came")
    rounds.publish(round_=round_, actor="test")
    assert "The Lift: incomplete; The Squat: incomplete" in text_of(client, "leaderboard", "spring")


def test_a_configuration_page_shows_its_clips_beside_scenes_gates_and_votes(client: Client) -> None:
    make_published_round(
        {("beta", "r01-squat"): NO_EVENT},
        name="spring",
        refused={("beta", "r01-toast"): "not allowed"},
    )
    page = text_of(client, "configuration", "spring", "beta")
    assert page.count("<video") == 3
    assert "Did the sound come while the lifter was pushing up?" in page
    assert "4 N/A" in page
    assert "not allowed" in page
    assert client.get(reverse("configuration", args=["spring", "gamma"])).status_code == 404


def test_the_method_page_is_made_from_the_protocol(client: Client) -> None:
    version = make_protocol()
    page = text_of(client, "method", version.name, version.version)
    rules = version.rules
    for words in (
        *(scene.title for scene in rules.scenes),
        "Did the chair creak as a separate sound?",
        "Completely natural",
        "Nothing was heard: after Event No",
        "No people can be seen: always possible",
        "“Source or cause” has a Yes consensus, and “Event” has one too",
        version.digest,
    ):
        assert words in page
    seeds, ours = (
        sum(rule.source == source for rule in rules.rules) for source in ("seed", "ours")
    )
    listed = page[page.index('<ul class="rules') : page.index("What is reported")]
    assert (listed.count(">Document<"), listed.count(">Decided here<")) == (seeds, ours)
    assert client.get("/method/core-r01/9.9.9/").status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_configurations(client: Client) -> None:
    few = make_published_round(name="few", scenes=SCENES[:1], configurations=("alpha", "beta"))
    many = make_published_round(
        name="many", scenes=SCENES[:1], configurations=tuple(f"c{number}" for number in range(8))
    )
    counts = [
        queries(client, reverse("leaderboard", args=[release.round.name]))
        for release in (few, many)
    ]
    assert counts[0] == counts[1] <= 4
    assert queries(client, reverse("home")) <= 4


def test_the_list_of_leaderboards_costs_three_queries_and_loads_no_protocol(client: Client) -> None:
    for number in range(2):
        make_published_round(name=f"r{number}", scenes=SCENES[:1], configurations=(f"c{number}",))
    with CaptureQueriesContext(connection) as captured:
        client.get(reverse("leaderboards"))
    assert len(captured) == 3
    assert not any('protocolversion"."content"' in query["sql"] for query in captured)


def test_leaderboards_are_listed_once_each_newest_first(client: Client) -> None:
    first = make_published_round(name="first", scenes=SCENES[:1], configurations=("alpha",))
    make_published_round(name="second", scenes=SCENES[:1], configurations=("beta",))
    correct(first, "summary")
    page = text_of(client, "leaderboards")
    assert page.count("<li class=") == 2
    assert page.index("first<") < page.index("second<")  # its correction is the newest of all
    assert Configuration.objects.count() == 2
    assert ProtocolVersion.objects.count() == 1
