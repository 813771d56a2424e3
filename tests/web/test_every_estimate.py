"""Every number on a public page that is an estimate has its interval and n, or says why not.

The pages of a published round of each protocol are walked from its leaderboard. What is marked as an
estimate must be whole; every other number with a decimal point or a per cent sign must be one of the
facts that are listed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import numpy as np
import pytest
from django.test import Client

from scoring.records import CellRecord, RoundRecord
from scoring.records.judges import ANSWERED, JudgeRecord, JudgeRunRecord
from scoring.records.votes import PairVote
from tests.factories import CORE_R01, CORE_V01
from tests.scoring.judges import judged, make_judge
from tests.scoring.pilot_record import SCENES as TESTS
from tests.scoring.pilot_record import make_pilot
from tests.scoring.record_factory import SCENES, make_record
from tests.streamav.rollout_record import FOLDER
from tests.streamav.scripts import drawn
from tests.streamav.test_alignment_report import QUALITY, SCENARIOS, make_round, voted
from tests.web.published_records import publish_record

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

DECIMAL = re.compile(r"(?<![\w.])\d+(?:\.\d+|%)")
VOID = {"br", "img", "input", "link", "meta", "hr", "source", "path", "track", "wbr", "rect"}
FACTS = {
    # columns of tables and lists
    "Median": "of the ratings that were given",
    "SD": "of the ratings that were given",
    "Needed": "a limit of the protocol",
    "Verdict": "names the confidence of the verdict",
    "Answers": "answers that are numbers",
    "What more than half of the reviewers say": "answers that are numbers",
    "Scale": "of a metric",
    "Published": "figures of the paper",
    "Protocol": "a version",
    "Values": "what one rollout came to",
    "Score": "what one clip came to",
    "Without the ceiling": "what one clip came to",
}
SENTENCES = (
    "95% interval",  # says what a range is
    "95% confidence",
    "Points of 0.",
    "points apart before chance",
    "0.5 says nothing",
    "p = ",  # of a test
    "p < ",
    "Published reference, not measured here",
    "Figures of the paper",
    "is flagged when",
    "A mean absolute error of at most",
    "400 points are odds",
    "Answers given: ",
    "by always saying",  # a rating
    "; expected ",  # follows from two strengths, whose intervals are in the table above
)
ONE_CLIP = re.compile(r"/(configurations|rollouts)/")
CHANCE = re.compile(r"^([<>] )?[01]\.\d\d$")  # of being ahead
CLIP_FACT = re.compile(r"Cost \$|^\d+\.\d+( without this ceiling)?$|at \d|^\d+\.\d+ s")


@dataclass
class Number:
    """A number outside of what is marked as an estimate, with the column that it is in."""

    column: str
    words: str


@dataclass
class Marked:
    """What an element that is marked as an estimate holds."""

    words: str = ""
    classes: set[str] = field(default_factory=set)

    @property
    def is_whole(self) -> bool:
        says_why = "figure__note" in self.classes
        has_n = bool(re.search(r"n = \d", self.words))
        return (has_n or says_why) and ("figure__reach" in self.classes or says_why)


class Walk(HTMLParser):
    """Reads a page: its estimates, its other numbers, its links."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.figures: list[Marked] = []
        self.others: list[Number] = []
        self.open: list[tuple[str, set[str]]] = []
        self.headers: list[str] = []
        self.term = ""
        self.cell = -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        classes = set(found.get("class", "").split())
        self.links += [found["href"]] if tag == "a" and "href" in found else []
        self._count(tag)
        if "figure" in classes:
            self.figures.append(Marked())
        if tag not in VOID:
            self.open.append((tag, classes))
        if self.is_in_figure:
            self.figures[-1].classes |= classes

    def _count(self, tag: str) -> None:
        """Keep which column of a table the next words are in."""
        if tag == "table":
            self.headers = []
        if tag == "tr":
            self.cell = -1
        if tag in {"td", "th"}:
            self.cell += 1
        if tag == "th" and self.within("thead"):
            self.headers.append("")

    def handle_endtag(self, tag: str) -> None:
        names = [name for name, _ in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]

    @property
    def is_in_figure(self) -> bool:
        return any("figure" in classes for _, classes in self.open)

    def within(self, *tags: str) -> bool:
        return any(tag in tags for tag, _ in self.open)

    @property
    def column(self) -> str:
        if self.within("dd"):
            return self.term
        is_cell = self.within("td") and self.cell < len(self.headers)
        return self.headers[self.cell].strip() if is_cell else ""

    def handle_data(self, data: str) -> None:
        words = " ".join(data.split())
        if not words or not self.within("main") or self.within("script", "style", "code"):
            return
        if self.within("th") and self.within("thead") and self.headers:
            self.headers[-1] += f" {words}"
        elif self.within("dt"):
            self.term = words
        elif self.is_in_figure:
            self.figures[-1].words += f" {words}"
        elif DECIMAL.search(words):
            self.others.append(Number(self.column, words))


def is_fact(path: str, number: Number) -> bool:
    """Say whether a number is a fact: of one clip, of the answers, of the protocol or the paper."""
    if number.column in FACTS or any(words in number.words for words in SENTENCES):
        return True
    if path.endswith("/differences/") and CHANCE.match(number.words):
        return True
    is_version = bool(re.search(r"@\d+\.\d+\.\d+|\$\d", number.words))
    return is_version or bool(ONE_CLIP.search(path) and CLIP_FACT.search(number.words))


def pages(name: str) -> Iterator[tuple[str, Walk]]:
    waiting = ["/", "/leaderboards/", f"/rounds/{name}/", f"/rounds/{name}/pairs/"]
    client, seen = Client(), set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen or "/releases/" in path or "/clips/" in path:
            continue
        seen.add(path)
        response = client.get(path)
        assert response.status_code == 200, path
        walk = Walk()
        walk.feed(response.content.decode())
        yield path, walk
        links = [urlsplit(urljoin(path, link)).path for link in walk.links]
        waiting += [link for link in links if link.startswith("/rounds/")]


def gates() -> RoundRecord:
    """Return a round of Core R01 whose people differ, with a judge and a sensitivity run."""
    draw, names = np.random.default_rng(1), [f"c{number}" for number in range(8)]
    scales = ("sound", "timing", "people")

    def seen() -> dict[str, list[str]]:
        votes = {key: [str(draw.integers(1, 6)) for _ in range(4)] for key in scales}
        votes["cause"] = [draw.choice(["yes", "yes", "no"]) for _ in range(4)]
        return votes | {"detail": [draw.choice(["yes", "no"]) for _ in range(4)]}

    def says(_cell: CellRecord) -> dict[str, str]:
        facts = {"event": "yes", "cause": "yes", "detail": "no"}
        return facts | {key: str(draw.integers(1, 6)) for key in scales}

    record = make_record(
        configurations=names,
        votes={(name, scene): seen() for name in names for scene in SCENES},
        refused={("c7", SCENES[0]): "policy"},
    )
    runs = (make_judge(record, says), make_judge(record, says, variant="muted"))
    return judged(record, *runs)


def pilot() -> RoundRecord:
    """Return a pilot with replicates, costs and blind pairs whose people differ, and two scales
    that say the same.
    """
    draw, names = np.random.default_rng(3), ("alpha", "beta", "gamma")
    scales = [one.question for one in make_pilot().protocol.scoring.dimensions]
    places = [(name, scene, number) for name in names for scene in TESTS for number in (1, 2, 3)]

    def sheet() -> dict[str, str]:
        ratings = {key: str(draw.integers(0, 5)) for key in scales}
        return ratings | {scales[1]: ratings[scales[0]]}

    record = make_pilot(
        configurations=names,
        replicates=3,
        answers={place: [sheet() for _ in range(3)] for place in places},
        cells={
            place: {"cost_usd": f"0.{1 + names.index(place[0])}", "cost_basis": "reported"}
            for place in places
        },
        families={"alpha": "f", "beta": "f"},
    )
    return replace(record, pair_votes=tuple(pilot_votes(record, draw)))


def pilot_votes(record: RoundRecord, draw: np.random.Generator) -> Iterator[PairVote]:
    (question,) = record.protocol.pairs.questions
    answers = ["a", "b", "tie"]
    for number, scene in enumerate(TESTS):
        clips = [cell.stimulus for cell in record.cells if cell.scene == scene][::3]
        for place, (a, b) in enumerate([(0, 1), (1, 2), (0, 2)]):
            for reviewer in range(3):
                yield PairVote(
                    f"p{number}-{place}", question.key, scene, clips[a], clips[b], f"R-{reviewer}",
                    draw.choice(answers), "simulated", False, "2026-01-15T12:00:00Z", "0" * 64,
                )  # fmt: skip


def rollouts() -> RoundRecord:
    """Return a round of rollouts with votes on pairs, and a judge that answers like people."""
    record = make_round(
        lambda name, scene, window, seat: drawn(name, scene, window, seat, quality=QUALITY[name]),
        configurations=tuple(QUALITY),
        scenarios=SCENARIOS,
        reviewers=3,
    )
    runs = tuple(
        JudgeRunRecord(window.cell, ANSWERED, window=place, answers=says(record, place))
        for place, window in enumerate(record.windows)
    )
    content = {"judge": {"label": "Judy", "service": "gemini", "model": "judy"}}
    judge = JudgeRecord("judy", "frozen", "a" * 64, "2026-01-02T00:00:00Z", content, runs)
    votes = voted(record, "vq", "2") + voted(record, "pvrl", "P1", wrong=2.0)
    return replace(record, judges=(judge,), pair_votes=votes)


def says(record: RoundRecord, place: int) -> dict[str, str]:
    window = record.windows[place]
    cell = record.cells[window.cell]
    return drawn(cell.configuration, cell.scene, window, 9, quality=QUALITY[cell.configuration])


@pytest.mark.parametrize(
    ("make", "protocol", "fewest"),
    [(gates, CORE_R01, 200), (pilot, CORE_V01, 500), (rollouts, FOLDER, 300)],
)
def test_every_estimate_of_every_public_page_has_its_interval_and_n(
    make: Callable[[], RoundRecord], protocol: Path, fewest: int
) -> None:
    publish_record(make(), protocol, name="walked")
    estimates, broken, bare = 0, [], []
    for path, walk in pages("walked"):
        estimates += len(walk.figures)
        broken += [(path, one.words) for one in walk.figures if not one.is_whole]
        bare += [(path, one) for one in walk.others if not is_fact(path, one)]
    assert not broken
    assert not bare
    assert estimates > fewest


def test_the_walk_finds_a_bare_number_and_an_estimate_without_n() -> None:
    walk = Walk()
    walk.feed(
        "<main><table><thead><tr><th>Name</th><th>Mean</th></tr></thead><tbody><tr><th>a</th>"
        '<td>0.5</td></tr></tbody></table><span class="figure"><b>2</b>'
        '<span class="figure__reach">1 to 3</span></span></main>'
    )
    assert walk.others == [Number("Mean", "0.5")]
    assert not is_fact("/rounds/r/", walk.others[0])
    assert not walk.figures[0].is_whole
