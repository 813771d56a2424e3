"""compose.yaml, Dockerfile and nginx template hang together; the compose client reads the file
where it is there.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from ruamel.yaml import YAML

from fartbench import jobs
from fartbench.tasks import SWEEP
from tests.foundation.test_settings import variables_read

ROOT = Path(settings.BASE_DIR)
TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = YAML(typ="safe").load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: one for name, one in SERVICES.items() if one["image"] == "fartbench:local"}
REQUIRED = {
    "BASE_URL",
    "SECRET_KEY",
    "POSTGRES_PASSWORD",
    "POSTGRES_PROGRAM_PASSWORD",
    "S3_ACCESS_KEY",
    "S3_SECRET_KEY",
}


def parts(volume: str) -> list[str]:
    """Return source, target and perhaps mode of a volume, with the default of its variable."""
    return re.sub(r"\$\{[A-Z_]+:-([^}]*)\}", r"\1", volume).split(":")


def mounts(name: str) -> list[list[str]]:
    return [parts(volume) for volume in SERVICES[name].get("volumes", [])]


def test_what_a_service_names_is_there() -> None:
    for name, service in SERVICES.items():
        for needed, how in service.get("depends_on", {}).items():
            other = SERVICES[needed]
            wanted = how["condition"]
            assert wanted == "service_completed_successfully" or "healthcheck" in other, name
        for source, *_ in mounts(name):
            assert source in COMPOSE["volumes"] or source.startswith("./"), (name, source)
        for config in service.get("configs", []):
            assert config["source"] in COMPOSE["configs"], (name, config)
        assert set(service["networks"]) <= set(COMPOSE["networks"]), name
    mounted = {source for name in SERVICES for source, *_ in mounts(name)}
    assert {source for source in mounted if not source.startswith("./")} == set(COMPOSE["volumes"])


def test_together_the_workers_listen_to_every_queue_and_one_beats() -> None:
    commands = [service.get("command", []) for service in OURS.values()]
    heard = [
        queue
        for command in commands
        if "-Q" in command
        for queue in command[command.index("-Q") + 1].split(",")
    ]
    assert sorted(heard) == sorted((*jobs.QUEUES, SWEEP))
    assert sum("beat" in command for command in commands) == 1


def test_one_service_builds_the_image_that_all_of_them_share() -> None:
    """Several that build one name at once fail on some engines, and leave an image each on others."""
    assert [name for name, service in SERVICES.items() if "build" in service] == ["setup"]
    assert {service["pull_policy"] for service in OURS.values()} == {"never"}
    assert len(OURS) == 5


def test_the_program_reads_every_variable_that_it_is_given() -> None:
    for name, service in OURS.items():
        given = set(service["environment"])
        # The file .env has the owner's password, for “database” and “setup”: nobody else gets it.
        assert given - variables_read() == {"POSTGRES_PASSWORD"}, name
    assert set(re.findall(r"\$\{([A-Z_0-9]+):\?", TEXT)) == REQUIRED
    # Whatever else is taken from the environment has a value of its own.
    assert not re.findall(r"(?<!\$)\$\{[A-Z_0-9]+\}", TEXT)


# What an installation decides by its shape, and no setting changes.
FIXED = {"DATA_DIR", "X_ACCEL_PREFIX", "BEHIND_PROXY", "POSTGRES_PASSWORD", "DATABASE_OWNER_URL"}


def test_settings_of_the_file_win_over_those_of_compose() -> None:
    for name, value in OURS["web"]["environment"].items():
        assert name in FIXED or value.startswith(f"${{{name}:"), name
    assert OURS["setup"]["environment"]["DATABASE_OWNER_URL"].startswith("${DATABASE_OWNER_URL:-")


def test_only_setup_knows_the_owner_of_the_tables() -> None:
    for name, service in OURS.items():
        knows = "${POSTGRES_PASSWORD" in str(service["environment"])
        assert knows == (name == "setup"), name
        assert service["environment"]["POSTGRES_PASSWORD"] == ""
        assert "fartbench_program:" in service["environment"]["DATABASE_URL"]
    assert OURS["web"]["environment"]["DATABASE_OWNER_URL"] == ""


def test_nothing_but_the_proxy_is_reached_from_outside_and_it_sees_blind_copies_alone() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["proxy"]["ports"] == ["${LISTEN_ON:-127.0.0.1:8080}:80"]
    assert all(mount[-1] == "ro" for mount in mounts("proxy"))
    assert {mount[1] for mount in mounts("proxy")} == {
        "/etc/nginx/templates/default.conf.template",
        "/data/blind",
    }


def test_the_proxy_reaches_web_and_nothing_else() -> None:
    shared = {
        name
        for name, service in SERVICES.items()
        if set(service["networks"]) & set(SERVICES["proxy"]["networks"])
    }
    assert shared == {"proxy", "web"}
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    for name in ("database", "broker", "bucket"):
        assert SERVICES[name]["networks"] == ["inside"]


def test_the_proxy_believes_the_network_that_it_is_in() -> None:
    subnet = COMPOSE["networks"]["front"]["ipam"]["config"][0]["subnet"]
    assert SERVICES["proxy"]["environment"]["FRONT"] == f"${{FRONT:-{subnet}}}"
    assert SERVICES["proxy"]["depends_on"]["web"]["restart"] is True


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_service_has_limits_and_says_how_it_is(name: str) -> None:
    service = SERVICES[name]
    assert service["mem_limit"]
    assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
    assert ("healthcheck" in service) != (name == "setup"), "it ends"
    if name in OURS or name == "proxy":
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert set(service.get("cap_add", [])) <= {"CHOWN", "NET_BIND_SERVICE", "SETGID", "SETUID"}


def test_what_works_is_not_killed_while_it_ends() -> None:
    grace = {name: service.get("stop_grace_period") for name, service in SERVICES.items()}
    assert {grace["asking"], grace["media"]} == {"5m"}
    assert {grace["database"], grace["bucket"]} == {"60s"}
    assert grace["web"] == "40s", "longer than gunicorn's graceful_timeout"


def test_a_slow_first_start_of_the_database_is_waited_for() -> None:
    check = SERVICES["database"]["healthcheck"]
    assert "--host=127.0.0.1" in check["test"][1], "its socket answers before it is ready"
    assert check["start_period"] == "60s"


def test_the_template_of_the_proxy_gets_every_value_it_asks_for() -> None:
    template = (ROOT / "deploy" / "nginx.conf.template").read_text(encoding="utf-8")
    code = "\n".join(line.partition("#")[0] for line in template.splitlines())
    given = {
        name for name in SERVICES["proxy"]["environment"] if not name.startswith("NGINX_ENTRYPOINT")
    }
    assert set(re.findall(r"\$\{([A-Z_]+)\}", code)) == given
    prefix = OURS["web"]["environment"]["X_ACCEL_PREFIX"]
    assert f"location {prefix}/blind/ {{\n        internal;" in template
    # Without the list of names envsubst would take nginx's own variables too, and leave nothing in
    # their place.
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    typed = re.search(
        r"^export (.+)\nenvsubst '(.+)' <deploy/nginx.conf.template", page, re.MULTILINE
    )
    assert typed
    assert [f"${pair.partition('=')[0]}" for pair in typed[1].split()] == typed[2].split()
    assert {name[1:] for name in typed[2].split()} == given


def test_the_image_is_built_from_files_that_are_there_and_holds_every_app() -> None:
    lines = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = {source for line in lines if line.startswith("COPY ") for source in line.split()[1:-1]}
    assert all((ROOT / source).exists() for source in copied)
    apps = {app for app in settings.INSTALLED_APPS if (ROOT / app.partition(".")[0]).is_dir()}
    assert apps <= copied
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line[0] == "!"
    }
    assert {source.partition("/")[0] for source in copied} == kept
    assert "USER fartbench" in lines


def test_the_documents_make_the_folders_that_are_mounted_for_the_account_of_the_image() -> None:
    image = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert "--uid 10001 --gid 10001" in image
    assert "install -d -m 700 -o 10001 -g 10001 backups exchange" in page
    assert mounts("web")[2:] == [["./backups", "/backups"], ["./exchange", "/exchange"]]
    assert mounts("setup")[2:] == [["./backups", "/backups"]]
    for name in REQUIRED:
        assert f"\n{name}=" in page, "the page writes every variable that is required"


def test_the_compose_client_reads_it_where_there_is_one(tmp_path: Path) -> None:
    """On a machine without the client this says that the file has its parts; the tests above say
    the rest.
    """
    docker = shutil.which("docker")
    has_client = (
        docker
        and subprocess.run(
            [docker, "compose", "version"], capture_output=True, check=False
        ).returncode
        == 0
    )
    if not has_client:
        assert {
            "database",
            "broker",
            "bucket",
            "setup",
            "web",
            "asking",
            "media",
            "beat",
            "proxy",
        } == set(SERVICES)
        return
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    (tmp_path / "compose.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / ".env").write_text("".join(f"{name}=x\n" for name in REQUIRED), encoding="utf-8")
    command = [docker, "compose", "config", "--quiet"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_part_of_the_program_shares_one_data_folder(name: str) -> None:
    assert OURS[name]["volumes"][:2] == ["data:/data", "blind:/data/blind"]
