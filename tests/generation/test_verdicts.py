"""Experts pass scenarios: two who do not see each other's verdict, a third where they differ, all
before generation.
"""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from fartbench import audit
from fartbench.models import AuditEntry, ProtocolVersion, Round
from fartbench.protocol import digest_of, parse_protocol
from generation.commissioning import commission
from generation.errors import NotReviewed, VerdictRefused, VerdictsRefused
from generation.models import Opinion, ScenarioVerdict, VerdictWaiver
from generation.verdict_files import export_verdicts, import_verdicts
from generation.verdicts import (
    give_verdict,
    line_of,
    lines_of,
    refuse_unreviewed,
    review_record,
    waive_verdicts,
)
from simulation.configurations import local_configurations
from tests import factories
from tests.streamav.small import FOLDER

pytestmark = pytest.mark.django_db
KEY = "cello-metronome-i"
ROWS = {
    "place": 1,
    "digest": "d" * 64,
    "expert": "ann",
    "verdict": "accept",
    "at": "2026-11-30T12:00:00Z",
}


@pytest.fixture
def protocol() -> ProtocolVersion:
    return factories.make_protocol(FOLDER)


def give(
    protocol: ProtocolVersion, expert: str, verdict: str = "accept", key: str = KEY
) -> ScenarioVerdict:
    words = "" if verdict == "accept" else "The second lamp is named nowhere before."
    return give_verdict(
        protocol=protocol, scenario=key, expert=expert, verdict=verdict, words=words
    )


def standing(protocol: ProtocolVersion, key: str = KEY) -> str:
    return line_of(protocol, key).reviewed.standing


def corrected(protocol: ProtocolVersion) -> ProtocolVersion:
    """A next version of the protocol with one prompt in other words."""
    content = protocol.content | {
        "version": "0.1.1",
        "rollouts": dict(protocol.content["rollouts"]),
    }
    scenarios = [dict(one) for one in content["rollouts"]["scenarios"]]
    next(one for one in scenarios if one["key"] == KEY)["prompt"] += (
        " A second lamp stands in the dark."
    )
    content["rollouts"]["scenarios"] = scenarios
    rules = parse_protocol(content, source="test")
    return ProtocolVersion.objects.create(
        name=rules.name, version=rules.version, digest=digest_of(content), content=content
    )


def accepted_round(protocol: ProtocolVersion) -> Round:
    round_ = factories.make_round(protocol=protocol, scenes=[KEY])
    for expert in ("ann", "ben"):
        give(protocol, expert)
    return round_


def signed_in(name: str, *permissions: str) -> Client:
    user = factories.make_staff(name)
    user.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


class TestVerdicts:
    def test_two_who_agree_settle_it_and_nobody_is_asked_again(
        self, protocol: ProtocolVersion
    ) -> None:
        assert standing(protocol) == "waiting"
        give(protocol, "ann")
        with pytest.raises(
            VerdictRefused, match="ann has given a verdict on cello-metronome-i already"
        ):
            give(protocol, "ann", "reject")
        give(protocol, "ben")
        assert standing(protocol) == "accepted"
        with pytest.raises(VerdictRefused, match="settled"):
            give(protocol, "cem")
        assert [row.place for row in ScenarioVerdict.objects.all()] == [1, 2]
        assert AuditEntry.objects.filter(action="scenario verdict given").count() == 2

    def test_a_third_decides_where_two_differ(self, protocol: ProtocolVersion) -> None:
        give(protocol, "ann")
        give(protocol, "ben", "correct")
        assert standing(protocol) == "disputed"
        assert give(protocol, "cem", "reject").place == 3
        assert standing(protocol) == "to_correct"

    def test_a_corrected_scenario_is_reviewed_again_and_the_others_are_not(
        self, protocol: ProtocolVersion
    ) -> None:
        for expert in ("ann", "ben"):
            give(protocol, expert, "correct")
            give(protocol, expert, key="cello-metronome-p")
        after = corrected(protocol)
        assert (standing(protocol), standing(after)) == ("to_correct", "waiting")
        assert standing(after, "cello-metronome-p") == "accepted"
        give(after, "ann")
        give(after, "ben")
        assert (standing(protocol), standing(after)) == ("to_correct", "accepted")

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"scenario": "none"}, "has no scenario 'none'"),
            ({"expert": " "}, "by a named expert"),
            ({"verdict": "splendid"}, "is not a verdict: accept, correct, reject"),
            ({"verdict": "correct"}, "what is to be corrected"),
        ],
    )
    def test_what_says_too_little_is_refused(
        self, protocol: ProtocolVersion, fields: dict[str, str], words: str
    ) -> None:
        given = {"scenario": KEY, "expert": "ann", "verdict": "accept", "words": ""} | fields
        with pytest.raises(VerdictRefused, match=words):
            give_verdict(protocol=protocol, **given)
        assert not ScenarioVerdict.objects.exists()


class TestDatabase:
    def refused(self, protocol: ProtocolVersion, **fields: object) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            ScenarioVerdict.objects.create(protocol=protocol, scenario=KEY, **ROWS | fields)

    def test_nobody_comes_out_of_turn_or_twice(self, protocol: ProtocolVersion) -> None:
        self.refused(protocol, place=2)
        self.refused(protocol, place=3)
        ScenarioVerdict.objects.create(protocol=protocol, scenario=KEY, **ROWS)
        self.refused(protocol, place=1, expert="ben")
        self.refused(protocol, place=2, expert="ann")
        ScenarioVerdict.objects.create(
            protocol=protocol, scenario=KEY, **ROWS | {"place": 2, "expert": "ben"}
        )
        self.refused(protocol, place=3, expert="cem")  # the two agree

    def test_a_third_joins_two_who_differ_and_no_fourth(self, protocol: ProtocolVersion) -> None:
        for place, (expert, verdict) in enumerate(
            [("ann", "accept"), ("ben", "correct"), ("cem", "reject")], start=1
        ):
            fields = ROWS | {"place": place, "expert": expert, "verdict": verdict, "words": "w"}
            ScenarioVerdict.objects.create(protocol=protocol, scenario=KEY, **fields)
        self.refused(protocol, place=4, expert="dan")

    def test_a_verdict_needs_its_words_and_never_changes(self, protocol: ProtocolVersion) -> None:
        self.refused(protocol, verdict="correct")
        self.refused(protocol, verdict="fine")
        self.refused(protocol, expert="")
        give(protocol, "ann")
        waive_verdicts(
            round_=factories.make_round(protocol=protocol), reason="a pilot", actor="ada"
        )
        for rows, change in (
            (ScenarioVerdict.objects, {"verdict": "reject"}),
            (VerdictWaiver.objects, {"reason": "x"}),
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                rows.update(**change)
            with pytest.raises(IntegrityError), transaction.atomic():
                rows.all().delete()


class TestGuard:
    def test_nothing_is_asked_for_before_every_scenario_is_accepted(
        self, protocol: ProtocolVersion
    ) -> None:
        round_ = factories.make_round(protocol=protocol, scenes=[KEY])
        give(protocol, "ann")
        with pytest.raises(NotReviewed, match=r"1 scenarios of round .* cello-metronome-i"):
            refuse_unreviewed(round_)
        with pytest.raises(NotReviewed, match="--without-verdicts"):
            commission(round_=round_, configurations=local_configurations(), actor="ada")
        with pytest.raises(CommandError, match="have not been accepted by experts"):
            call_command("import_clips", round_.name, "none.csv")
        give(protocol, "ben")
        refuse_unreviewed(round_)

    def test_scenes_without_scenarios_need_no_verdict(self) -> None:
        round_ = factories.make_round()
        refuse_unreviewed(round_)
        assert review_record(round_) == {}

    def test_a_pilot_goes_on_with_a_reason_that_stays(self, protocol: ProtocolVersion) -> None:
        round_ = factories.make_round(protocol=protocol, scenes=[KEY])
        with pytest.raises(VerdictRefused, match="the reason is empty"):
            waive_verdicts(round_=round_, reason=" ", actor="ada")
        with pytest.raises(CommandError, match="there is no such file"):
            call_command("import_clips", round_.name, "none.csv", "--without-verdicts", "a dry run")
        refuse_unreviewed(round_)
        waive_verdicts(round_=round_, reason="another", actor="ada")
        assert VerdictWaiver.objects.get().reason == "a dry run"
        assert AuditEntry.objects.get(action="verdicts waived").details["reason"] == "a dry run"
        assert review_record(round_)["waived"]["reason"] == "a dry run"

    def test_an_admin_waives_on_the_round_s_page(self, protocol: ProtocolVersion) -> None:
        round_ = factories.make_round(protocol=protocol, scenes=[KEY])
        ada, address = signed_in("ada", "change_round"), f"/staff/generation/rounds/{round_.name}/"
        assert "1 scenario of this round has not been accepted" in ada.get(address).content.decode()
        step = {"step": "waive_verdicts", "reason": "a dry run"}
        ada.post(f"/staff/rounds/{round_.name}/step", step)
        assert "Continues without experts" in ada.get(address).content.decode()
        assert VerdictWaiver.objects.get().by == "ada"

    def test_what_was_accepted_only_after_the_first_clip_is_told_apart(
        self, protocol: ProtocolVersion
    ) -> None:
        early = review_record(accepted_round(protocol))
        assert [one["before_generation"] for one in early["scenarios"]] == [True]
        other = "cello-metronome-p"
        late = factories.make_round(protocol=protocol, scenes=[KEY, other])
        with transaction.atomic():
            audit.record("clips imported", actor="test", round_name=late.name)
        for expert in ("ann", "ben"):
            give(protocol, expert, key=other)
        found = review_record(late)
        assert {one["scenario"]: one["before_generation"] for one in found["scenarios"]} == {
            KEY: True,
            other: False,
        }
        assert [one["verdict"] for one in found["scenarios"][0]["verdicts"]] == ["accept", "accept"]


class TestFiles:
    def test_verdicts_go_from_one_installation_to_another(
        self, protocol: ProtocolVersion, tmp_path: Path
    ) -> None:
        table = tmp_path / "verdicts.csv"
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("scenario", "digest", "expert", "verdict", "words", "given_at"))
            for expert, verdict in (("ann", "accept"), ("ben", "correct"), ("cem", "accept")):
                digest = line_of(protocol, KEY).digest
                writer.writerow(
                    (KEY, digest, expert, verdict, "'=A1, please", "2026-11-01T09:00:00+00:00")
                )
        assert import_verdicts(protocol, table, actor="ada") == 3
        assert standing(protocol) == "accepted"
        give(protocol, "ann", key="cello-metronome-p")
        written = tmp_path / "again.csv"
        assert export_verdicts(protocol, written) == (3, 1)
        rows = list(csv.DictReader(written.read_text().splitlines()))
        assert [(row["expert"], row["verdict"]) for row in rows] == [
            ("ann", "accept"), ("ben", "correct"), ("cem", "accept"),
        ]  # fmt: skip
        assert {row["given_at"] for row in rows} == {"2026-11-01T09:00:00+00:00"}
        assert {row["words"] for row in rows} == {"'=A1, please"}, "no spreadsheet runs it"
        assert set(ScenarioVerdict.objects.exclude(words="").values_list("words", flat=True)) == {
            "=A1, please"
        }

    def test_a_file_is_taken_whole_or_not_at_all(
        self, protocol: ProtocolVersion, tmp_path: Path
    ) -> None:
        digest, table = line_of(protocol, KEY).digest, tmp_path / "verdicts.csv"
        head = "scenario,digest,expert,verdict,words,given_at\n"
        good = f"{KEY},{digest},ann,accept,,2026-11-01T09:00:00Z\n"
        bad = (
            f"{KEY},{'0' * 64},ben,accept,,2026-11-01T09:00:00Z\n"
            f"{KEY},{digest},ann,accept,,2026-11-01T09:00:00Z\n"
            f"{KEY},{digest},ben,accept,,yesterday\n"
            f"none,{digest},ben,accept,,2026-11-01T09:00:00Z\n"
        )
        table.write_text(head + good + bad)
        with pytest.raises(VerdictsRefused) as caught:
            import_verdicts(protocol, table, actor="ada")
        for words in ("row 3: ", "row 4: ann has given", "row 5: given_at: 'yesterday'", "row 6: "):
            assert words in str(caught.value)
        assert not ScenarioVerdict.objects.exists()

    def test_the_command_says_where_each_scenario_stands(
        self, protocol: ProtocolVersion, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        accepted_round(protocol)
        give(protocol, "ann", "correct", key="cello-metronome-p")
        call_command("scenario_verdicts", "streamav@0.1.0")
        said = capsys.readouterr().out
        assert f"{KEY:<40} accepted       2 given" in said
        assert "23 waiting" in said
        call_command("scenario_verdicts", "streamav@0.1.0", "--export", str(tmp_path / "out.csv"))
        assert "1 wait for a second, independent one" in capsys.readouterr().out
        factories.make_protocol()
        call_command("scenario_verdicts", "core-r01@1.0.0")
        assert "nothing of it needs a verdict" in capsys.readouterr().out


class TestPages:
    ADDRESS = "/staff/scenarios/streamav/0.1.0/"

    def expert(self, name: str) -> Client:
        return signed_in(name, "add_scenarioverdict")

    def test_an_expert_goes_from_scenario_to_scenario(self, protocol: ProtocolVersion) -> None:
        ann = self.expert("ann")
        listed = ann.get(self.ADDRESS).content.decode()
        assert "Begin: 24 wait for you" in listed
        first = lines_of(protocol)[0].scenario
        shown = ann.get(f"{self.ADDRESS}{first.key}/").content.decode()
        look_for = protocol.rules.rollouts.experts.look_for
        assert len(look_for) == 4
        for words in (first.title, "Your verdict", "What to look for", "Line of time", *look_for):
            assert words in shown
        sent = ann.post(f"{self.ADDRESS}{first.key}/verdict", {"verdict": "accept"})
        assert sent["Location"] == f"{self.ADDRESS}{lines_of(protocol)[1].scenario.key}/"
        refused = ann.post(
            f"{self.ADDRESS}{first.key}/verdict", {"verdict": "reject", "words": "no"}, follow=True
        )
        assert "it cannot change" in refused.content.decode()
        assert ScenarioVerdict.objects.get().verdict == Opinion.ACCEPT

    def test_pages_say_kinds_in_words_and_nothing_twice(self, protocol: ProtocolVersion) -> None:
        ann = self.expert("ann")
        for line in lines_of(protocol):
            page = html.unescape(ann.get(f"{self.ADDRESS}{line.scenario.key}/").content.decode())
            shown = re.sub(r"<[^>]*>", " ", page.partition("<main")[2].partition("</main>")[0])
            assert re.findall(r"[a-z]+_[a-z]+", shown) == []
            assert {
                one.id: shown.count(one.prompt)
                for one in line.scenario.updates
                if one.modality != "joint"
            } == {one.id: 1 for one in line.scenario.updates if one.modality != "joint"}

    def test_nobody_sees_a_verdict_before_the_second_is_given(
        self, protocol: ProtocolVersion
    ) -> None:
        ann, ben, cem = (self.expert(name) for name in ("ann", "ben", "cem"))
        words = "The metronome is unclear."
        ann.post(f"{self.ADDRESS}{KEY}/verdict", {"verdict": "correct", "words": words})
        pages = (self.ADDRESS, f"{self.ADDRESS}{KEY}/")
        assert all(words in ann.get(page).content.decode() for page in pages)
        assert not any(words in ben.get(page).content.decode() for page in pages)
        ben.post(f"{self.ADDRESS}{KEY}/verdict", {"verdict": "accept"})
        assert all(
            words in client.get(page).content.decode()
            for page in pages
            for client in (ann, ben, cem)
        )
        assert "The two verdicts differ: you decide" in cem.get(pages[1]).content.decode()
        assert "you decide" not in ben.get(pages[1]).content.decode()

    def test_an_admin_sees_where_scenarios_stand_and_gives_no_verdict(
        self, protocol: ProtocolVersion
    ) -> None:
        ada = signed_in("ada", "change_round")
        give(protocol, "ann", "correct")
        shown = ada.get(f"{self.ADDRESS}{KEY}/").content.decode()
        assert "second lamp is named nowhere" not in shown
        assert "Can add scenario verdict" in shown
        assert ada.post(f"{self.ADDRESS}{KEY}/verdict", {"verdict": "accept"}).status_code == 403

    def test_what_was_said_of_the_wording_before_stands_beside_the_new_one(
        self, protocol: ProtocolVersion
    ) -> None:
        for name in ("ann", "ben"):
            give(protocol, name, "correct")
        corrected(protocol)
        shown = self.expert("cem").get(f"/staff/scenarios/streamav/0.1.1/{KEY}/").content.decode()
        assert "Said of an earlier wording" in shown
        assert "second lamp is named nowhere" in shown

    def test_there_is_no_page_of_what_is_not_there(self, protocol: ProtocolVersion) -> None:
        factories.make_protocol()
        ann = self.expert("ann")
        for address in ("core-r01/1.0.0/", "streamav/9.9.9/", "streamav/0.1.0/none/"):
            assert ann.get(f"/staff/scenarios/{address}").status_code == 404
        assert "streamav@0.1.0" in ann.get("/staff/scenarios/").content.decode()
        assert "core-r01" not in ann.get("/staff/scenarios/").content.decode()

    def test_a_superuser_is_an_expert_too(self, protocol: ProtocolVersion) -> None:
        client = Client()
        client.force_login(User.objects.create_superuser("root"))
        assert "Your verdict" in client.get(f"{self.ADDRESS}{KEY}/").content.decode()
