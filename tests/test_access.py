"""Who may call what: every address of the site by every kind of account.

An address that is not listed here fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from api.tokens import make_token
from blinding.models import BlindCopy, BlindingKey, Stimulus
from fartbench.models import Round
from generation.models import Sample
from generation.uploads.folder import SentFile, make_upload
from measuring.models import SoundCheck
from review.models import Answer, AnswerSheet, Assignment, MistakeReport, OrderPlan
from review.selectors import next_assignment
from rounds.pairs import plan_pairs
from tests.factories import (
    make_locked_sheet,
    make_protocol,
    make_staff,
    make_training_clips,
    reviewers_of,
)
from tests.generation.rows import make_account, make_prompt
from tests.kept import kept
from tests.pairs import protocol_with_pairs
from tests.scoring.rows import make_locked_round, make_open_round, make_published_round
from tests.streamav.small import FOLDER

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]  # see test_addresses.py

# Visitors without an account, the reviewer of the open round, one of another round, one with an
# account and no part in any round, staff, an expert who passes scenarios, an admin.
ROLES = ("visitor", "rae", "other", "otis", "stan", "eve", "ada")
OPEN, LOGIN, FORBIDDEN, NOTHING = "open", "login", "403", "404"

ALL = dict.fromkeys(ROLES, OPEN)
NOBODY = dict.fromkeys(ROLES, NOTHING)
REVIEWERS = {"visitor": LOGIN, "rae": OPEN, "other": OPEN, "otis": FORBIDDEN} | dict.fromkeys(
    ("stan", "eve", "ada"), FORBIDDEN
)
MEMBER = REVIEWERS | {"other": NOTHING}
STAFF = {"visitor": LOGIN, "rae": NOTHING, "other": NOTHING, "otis": NOTHING} | dict.fromkeys(
    ("stan", "eve", "ada"), OPEN
)
ADMINS = STAFF | {"stan": FORBIDDEN, "eve": FORBIDDEN}
SEES_SCENARIOS = STAFF | {"stan": FORBIDDEN}
EXPERTS = SEES_SCENARIOS | {"ada": FORBIDDEN}
# Every open round on a protocol begins with the same training clips.
TRAINEES = {"visitor": NOTHING, "rae": OPEN, "other": OPEN, "otis": NOTHING} | dict.fromkeys(
    ("stan", "eve", "ada"), OPEN
)
# Staff and whoever reviewed that closed round; here nobody of these did.
LISTENERS = STAFF
PLAYERS = {"visitor": NOTHING, "rae": OPEN, "other": NOTHING, "otis": NOTHING} | dict.fromkeys(
    ("stan", "eve", "ada"), OPEN
)


@dataclass(frozen=True)
class Call:
    """How an address is called, and what comes of it for each role.

    ``args`` name fields of the `world`.
    """

    outcomes: dict[str, str]
    args: tuple[str, ...] = ()
    method: str = "get"
    data: Mapping[str, Any] = field(default_factory=dict)

    def make(self, client: Client, address: str) -> Any:
        """Make the call; a PUT carries JSON, as the page's script sends it."""
        if self.method == "put":
            return client.put(address, self.data, content_type="application/json")
        return getattr(client, self.method)(address, self.data)


CALLS = {
    "healthz": Call(ALL),
    "readyz": Call(ALL),
    "metrics": Call(STAFF | {"visitor": NOTHING}),
    "home": Call(ALL),
    "login": Call(ALL),
    "logout": Call(ALL, method="post"),
    "leaderboards": Call(ALL),
    "state": Call(ALL),
    "leaderboard": Call(ALL, ("published",)),
    "configuration": Call(ALL, ("published", "configuration")),
    # Only rounds of rollouts have these, and the published one here has clips
    # (tests/web/test_rollout_pages.py).
    "rollout": Call(NOBODY, ("published", "configuration", "scene", "release")),
    "rollout-timeline": Call(NOBODY, ("published", "configuration", "scene", "release")),
    "differences": Call(ALL, ("published",)),
    "scenes": Call(ALL, ("published",)),
    "scene": Call(ALL, ("published", "scene")),
    "ratings": Call(ALL, ("published",)),
    "agreement": Call(ALL, ("published",)),
    "human-ai": Call(ALL, ("published",)),
    "preference": Call(ALL, ("published",)),
    "alignment": Call(ALL, ("published",)),
    "coverage": Call(ALL, ("published",)),
    "tests": Call(ALL, ("published",)),
    "specification": Call(ALL, ("protocol", "protocol_version", "scene")),
    "specification-file": Call(ALL, ("protocol", "protocol_version", "scene")),
    "releases": Call(ALL, ("published",)),
    "release-archive": Call(ALL, ("published", "release")),
    "release-file": Call(ALL, ("published", "release", "file")),
    "published-clip": Call(ALL, ("published", "published_clip")),
    "configurations": Call(ALL),
    # Reviewers of an open round do not see rounds of its protocol there.
    "configuration-history": Call(ALL, ("configuration",)),
    "compare-releases": Call(ALL),
    "public-feed": Call(ALL),
    "public-rounds": Call(ALL),
    "public-table-csv": Call(ALL, ("published", "table")),
    "public-table-json": Call(ALL, ("published", "table")),
    "public-release-csv": Call(ALL, ("published", "release", "table")),
    "public-release-json": Call(ALL, ("published", "release", "table")),
    "round-badge": Call(ALL, ("published",)),
    "configuration-badge": Call(ALL, ("published", "configuration")),
    "cite-bibtex": Call(ALL, ("published",)),
    "cite-file": Call(ALL, ("published",)),
    "embedded-board": Call(ALL, ("published",)),
    "embedded-plot": Call(ALL, ("published", "plot")),
    "oembed": Call(ALL, data={"url": "http://127.0.0.1:8000/rounds/shown/"}),
    "sounds": Call(LISTENERS, ("locked",)),
    "sound-clip": Call(LISTENERS | {"visitor": NOTHING}, ("locked", "heard")),
    "sound-verdict": Call(
        LISTENERS, ("locked", "heard"), "post", {"place": "0", "is_event": "yes"}
    ),
    "sound-listen": Call(STAFF, ("locked",), "post"),
    "method": Call(ALL),
    "help": Call(ALL),
    "help-page": Call(ALL, ("help",)),
    "invite": Call(ALL, ("token",)),
    "review-return": Call(ALL),
    "review-home": Call(REVIEWERS),
    "review-way-back": Call(REVIEWERS, method="post"),
    "review-start": Call(MEMBER, ("open",)),
    "review-sound": Call(MEMBER, ("open",), "post"),
    "review-tones": Call(MEMBER, ("open",)),
    "review-training": Call(MEMBER, ("open", "place")),
    "training-media": Call(TRAINEES, ("training",)),
    "review-done": Call(MEMBER, ("open",)),
    "review-sheet": Call(MEMBER, ("due",)),
    "review-draft": Call(MEMBER, ("due",), "put", {"revision": 0, "answers": {}}),
    "review-lock": Call(MEMBER, ("due",), "post"),
    "review-unplayable": Call(MEMBER, ("due",), "post"),
    "review-later": Call(MEMBER, ("due",), "post"),
    "review-mistake": Call(MEMBER, ("ended",), "post", {"text": "slipped"}),
    "review-pair": Call(MEMBER, ("pair",)),
    "review-pair-draft": Call(MEMBER, ("pair",), "put", {"revision": 0, "answers": {}}),
    "review-pair-lock": Call(MEMBER, ("pair",), "post"),
    "review-pair-unplayable": Call(MEMBER, ("pair",), "post"),
    "media": Call(PLAYERS, ("due",)),
    "staff-home": Call(STAFF),
    "staff-audit": Call(STAFF),
    "staff-audit-csv": Call(STAFF),
    "staff-health": Call(STAFF),
    "staff-export": Call(STAFF, ("locked",), "post", {"reason": "a test"}),
    "staff-round": Call(STAFF, ("open",)),
    "staff-progress": Call(STAFF, ("open",)),
    "staff-preview": Call(STAFF, ("locked",)),
    # Only a round of rollouts that its viewer opened the preview of has these
    # (tests/measuring/test_rollouts.py).
    "staff-preview-timeline": Call(
        NOBODY | {"visitor": LOGIN}, ("locked", "configuration", "scene", "release")
    ),
    "staff-reviewers": Call(ADMINS, ("open",)),
    "staff-invite-links": Call(ADMINS, ("open",)),
    "staff-pairs": Call(STAFF, ("open",)),
    "tokens": Call(STAFF),
    "token-revoke": Call(STAFF | {"eve": NOTHING}, ("api_token",), "post"),
    "api-docs": Call(STAFF),
    "api-document": Call(ALL),
    # Every operation asks for a token, whatever the account (tests/api/test_operations.py).
    "api-call": Call(ALL, ("api_path",)),
    "generation-home": Call(ADMINS),
    "make-round": Call(ADMINS),
    "generation-library": Call(ADMINS),
    "generation-keys": Call(ADMINS),
    "generation-launch": Call(ADMINS, ("open",)),
    "generation-delete": Call(ADMINS, ("open",)),
    "generation-doubts": Call(ADMINS),
    "generation-account": Call(ADMINS, ("account",), "post"),
    "generation-prompt": Call(ADMINS, ("prompt",)),
    "generation-sample": Call(ADMINS, ("sample",)),
    "generation-watch": Call(ADMINS | {"ada": NOTHING}, ("sample",)),  # no file either
    "generation-watch-raw": Call(ADMINS | {"ada": NOTHING}, ("sample",)),
    "generation-watch-blind": Call(ADMINS | {"ada": NOTHING}, ("sample", "copy")),
    "generation-settle": Call(ADMINS, ("sample",), "post"),
    "generation-clip": Call(
        ADMINS | {"ada": NOTHING}, ("sample",)
    ),  # these rows have no file behind them
    "generation-round": Call(ADMINS, ("open",)),
    "generation-progress": Call(ADMINS, ("open",)),
    "generation-prompts": Call(ADMINS, ("open",)),
    "generation-manifest": Call(ADMINS, ("open",)),
    "generation-clips": Call(ADMINS, ("open",)),
    "generation-upload": Call(ADMINS, ("open", "upload")),
    "generation-piece": Call(ADMINS, ("open", "upload"), "post"),
    "generation-upload-state": Call(ADMINS, ("open", "upload")),
    "generation-look": Call(ADMINS, ("open", "upload"), "post"),
    "generation-poster": Call(
        ADMINS | {"ada": NOTHING}, ("open", "upload", "place")
    ),  # nobody looked at its file yet
    "generation-table": Call(ADMINS, ("open", "upload")),
    "scenario-protocols": Call(SEES_SCENARIOS),
    "scenarios": Call(SEES_SCENARIOS, ("rollouts", "rollouts_version")),
    "scenario": Call(SEES_SCENARIOS, ("rollouts", "rollouts_version", "scenario")),
    "scenario-verdict": Call(
        EXPERTS, ("rollouts", "rollouts_version", "scenario"), "post", {"verdict": "accept"}
    ),
    "staff-blinding": Call(STAFF, ("open",)),
    "staff-fingerprint": Call(STAFF, ("open",)),
    "staff-unblind": Call(STAFF, ("locked",)),
    "staff-diagnostics": Call(STAFF, ("locked",)),
    "staff-step": Call(ADMINS, ("open",), "post", {"step": "publish"}),
}


def make_world() -> dict[str, str]:
    """A published, a closed and an open round, and what there is to call in them."""
    lift = ["r01-lift"]
    release = make_published_round(name="shown", scenes=lift, configurations=("alpha",))
    closed = make_locked_round(name="closed", scenes=lift, configurations=("beta",))
    heard = SoundCheck.objects.create(
        stimulus=closed.stimuli.get(), version="1", found={"candidates": []}
    )
    paired = protocol_with_pairs(reviewers=4)
    open_round = make_open_round(
        name="running", scenes=lift, configurations=("gamma", "delta"), protocol=paired
    )
    plan_pairs(round_=open_round, actor="test")
    elsewhere = make_open_round(
        name="elsewhere", scenes=lift, configurations=("epsilon",), protocol=paired
    )
    Round.objects.get(name="running").members.update(
        consented_at=open_round.opened_at, sound_checked_at=open_round.opened_at
    )
    training = make_training_clips(open_round.protocol)[0]
    rae = reviewers_of(open_round)[0]
    ended = next_assignment(rae, open_round).stimulus
    make_locked_sheet(rae, ended)
    stan = make_staff("stan")
    api_token, _ = make_token(user=stan, name="a test", scopes=["rounds:read"], days=1)
    make_staff("ada").user_permissions.add(*Permission.objects.filter(codename="change_round"))
    make_staff("eve").user_permissions.add(
        *Permission.objects.filter(codename="add_scenarioverdict")
    )
    User.objects.create_user("otis")
    rollouts = make_protocol(FOLDER)
    return {
        "published": "shown",
        "help": "reviewers",
        "protocol": "core-r01",
        "protocol_version": "1.0.0",
        "configuration": "alpha",
        "scene": lift[0],
        "release": str(release.number),
        "file": "answers.csv",
        "table": "answers",
        "api_path": "rounds",
        "api_token": str(api_token.pk),
        "plot": "leaderboard",
        "published_clip": Stimulus.objects.filter(round=release.round).first().pk,
        "locked": "closed",
        "heard": heard.stimulus_id,
        "open": "running",
        "due": next_assignment(rae, open_round).stimulus_id,
        "ended": ended.pk,
        "pair": open_round.pairs.get().pk,
        "token": "no-such-token",
        "account": make_account(),
        "rollouts": rollouts.name,
        "rollouts_version": rollouts.version,
        "scenario": rollouts.rules.scenes[0].key,
        "prompt": make_prompt(release.round),
        "sample": Sample.objects.filter(clip__isnull=False).first().pk,
        "copy": 1,
        "place": str(training.place),
        "upload": make_upload(round_name="running", by="ada", files=(SentFile("a.mp4", 0),)).key,
        "training": training.pk,
        "rae": rae.user.username,
        "other": reviewers_of(elsewhere)[0].user.username,
    }


world = kept(make_world)


def client_of(role: str, world: dict[str, str]) -> Client:
    client = Client()
    if role != "visitor":
        client.force_login(User.objects.get(username=world.get(role, role)))
    return client


def outcome(response: Any) -> str:
    if response.streaming:
        response.getvalue()  # reads to the end and lets go of the file
    if response.status_code in {403, 404}:
        return str(response.status_code)
    if response.status_code == 302 and response["Location"].startswith("/login/"):
        return LOGIN
    assert response.status_code < 500
    assert response.status_code != 405
    return OPEN


def outcomes(role: str, world: dict[str, str]) -> dict[str, str]:
    """Call every address as one role."""
    found = {}
    for name, call in CALLS.items():
        address = reverse(name, args=[world[arg] for arg in call.args])
        found[name] = outcome(call.make(client_of(role, world), address))
    return found


@pytest.mark.parametrize("role", ROLES)
def test_an_address_answers_each_role_as_it_should(role: str, world: dict[str, str]) -> None:
    assert outcomes(role, world) == {name: call.outcomes[role] for name, call in CALLS.items()}


def test_every_address_of_the_site_is_listed() -> None:
    assert set(names_of(get_resolver().url_patterns)) == set(CALLS)


def names_of(patterns: list[URLPattern | URLResolver]) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            assert pattern.name, f"{pattern} has no name"
            found.append(pattern.name)
        elif pattern.namespace != "admin":
            found += names_of(pattern.url_patterns)
    return found


RECORDS = [(model._meta.app_label, model._meta.model_name) for model in admin.site._registry]


def test_records_are_for_staff(world: dict[str, str]) -> None:
    lists = [reverse(f"admin:{app}_{model}_changelist") for app, model in RECORDS]
    for role in ("visitor", "rae", "otis"):
        client = client_of(role, world)
        for address in (reverse("admin:index"), *lists):
            response = client.get(address)
            assert (response.status_code, response["Location"][:13]) == (302, "/admin/login/")


def superuser(name: str = "root") -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser(name))
    return client


def test_no_record_can_tell_whose_clip_a_stimulus_is_or_in_which_order_clips_come() -> None:
    for model in (BlindingKey, BlindCopy, Assignment, OrderPlan):
        assert not admin.site.is_registered(model)


def test_every_list_of_records_opens_and_frozen_ones_offer_no_change(world: dict[str, str]) -> None:
    client = superuser()
    editable = {("generation", "family"), ("auth", "user"), ("auth", "group")}
    for app, model in RECORDS:
        assert client.get(reverse(f"admin:{app}_{model}_changelist")).status_code == 200
        adding = client.get(reverse(f"admin:{app}_{model}_add")).status_code
        assert adding == (200 if (app, model) in editable else 403), model


def test_answers_of_an_open_round_are_in_no_record(world: dict[str, str]) -> None:
    client = superuser()
    sheet = AnswerSheet.objects.get(stimulus=world["ended"])
    MistakeReport.objects.create(sheet=sheet, text="I meant yes")
    closed = AnswerSheet.objects.filter(stimulus__round__name="closed").first()
    for model, hidden, shown in (
        ("answersheet", sheet.pk, closed.pk),
        ("answer", sheet.answers.first().pk, closed.answers.first().pk),
        ("mistakereport", MistakeReport.objects.get().pk, None),
    ):
        change = f"admin:review_{model}_change"
        gone = client.get(reverse(change, args=[hidden]))
        assert gone.status_code == 302  # the admin's way of saying that there is none
        assert gone["Location"] == reverse("admin:index")
        if shown:
            assert client.get(reverse(change, args=[shown])).status_code == 200
    listed = client.get(reverse("admin:review_answersheet_changelist")).content.decode()
    assert world["ended"] not in listed
    assert Answer.objects.filter(sheet__stimulus__round__name="running").count() == 6


ENDS = (
    "",
    "__startswith",
    "__gt",
    "__lte",
    "__range",
    "__in",
    "__regex",
    "__isnull",
    "__length__gt",
)


def hidden_lookups(model: type[Model], names: set[str]) -> Iterator[str]:
    """Yield lookups over every field of a model and of what it is related to, but those of its own
    filters.
    """
    paths = [field.name for field in model._meta.get_fields()]
    for own in model._meta.get_fields():
        if own.is_relation and own.related_model:
            paths += [
                f"{own.name}__{further.name}" for further in own.related_model._meta.get_fields()
            ]
    ends = [(path, end) for path in paths for end in ENDS]
    yield from (path + end for path, end in ends if not (path in names and end in ("", "__isnull")))


@pytest.mark.parametrize("role", ["stan", "ada", "root"])
def test_no_list_of_records_is_filtered_but_by_its_own_filters(
    role: str, world: dict[str, str]
) -> None:
    request = RequestFactory().get("/")
    request.user = (
        User.objects.create_superuser("root") if role == "root" else User.objects.get(username=role)
    )
    for model, records in admin.site._registry.items():
        names = set(records.get_list_filter(request))
        allowed = [
            name
            for name in hidden_lookups(model, names)
            if records.lookup_allowed(name, "8", request)
        ]
        assert allowed == [], f"{model.__name__} can be searched by {allowed}"
        assert all(
            records.lookup_allowed(f"{name}{end}", "1", request)
            for name in names
            for end in ("", "__exact")
        )


HIDDEN = (
    ("fartbench_round", "seed__startswith=8"),
    ("fartbench_round", "seed__gt=8"),
    ("fartbench_round", "seed__range=0,9"),
    ("fartbench_round", "order_secret__startswith=8"),
    ("fartbench_auditentry", "details__digest__startswith=a"),
    ("blinding_stimulus", "sha256__startswith=0"),
    ("blinding_stimulus", "facts__duration_s__gt=1"),
    ("blinding_stimulus", "sheets__answers__value=yes"),
    ("generation_sample", "truth__events__gt=0"),
    ("auth_user", "password__startswith=pbkdf2"),
    ("auth_user", "reviewer__email__startswith=r"),
)


@pytest.mark.parametrize("role", ["stan", "root"])
def test_an_address_cannot_ask_a_list_of_records_for_what_it_does_not_show(
    role: str, world: dict[str, str]
) -> None:
    client = superuser() if role == "root" else client_of(role, world)
    User.objects.get(username="stan").user_permissions.add(
        *Permission.objects.filter(codename__startswith="view_")
    )
    for model, question in HIDDEN:
        assert (
            client.get(f"{reverse(f'admin:{model}_changelist')}?{question}").status_code == 400
        ), question


def test_the_filters_beside_a_list_of_records_work(world: dict[str, str]) -> None:
    client = superuser()
    for model, records in admin.site._registry.items():
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        page = client.get(address)
        offered = [
            one["query_string"]
            for spec in page.context["cl"].filter_specs
            for one in spec.choices(page.context["cl"])
        ]
        assert {client.get(address + query).status_code for query in offered} <= {200}, records


def test_a_secret_is_on_no_page_of_records(world: dict[str, str]) -> None:
    client, round_ = superuser(), Round.objects.get(name="running")
    assert (
        round_.seed
        not in client.get(
            reverse("admin:fartbench_round_change", args=[round_.pk])
        ).content.decode()
    )
    member = round_.members.first()
    page = client.get(
        reverse("admin:review_invite_change", args=[member.invites.first().pk])
    ).content.decode()
    assert member.invites.first().token_hash not in page


def test_addresses_of_people_are_for_accounts_that_may_change_rounds(world: dict[str, str]) -> None:
    stan = User.objects.get(username="stan")
    stan.user_permissions.add(*Permission.objects.filter(codename__startswith="view_"))
    client = client_of("stan", world)
    assert client.get(reverse("admin:review_reviewer_changelist")).status_code == 403
    assert client.get(reverse("admin:fartbench_round_changelist")).status_code == 200
