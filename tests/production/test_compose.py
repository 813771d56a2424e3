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
OURS = {name: service for name, service in SERVICES.items() if "build" in service}


def test_what_a_service_names_is_there() -> None:
    for name, service in SERVICES.items():
        assert "image" in service, name
        for needed, how in service.get("depends_on", {}).items():
            other = SERVICES[needed]
            wanted = how["condition"]
            assert wanted == "service_completed_successfully" or "healthcheck" in other, (
                name,
                needed,
            )
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (ROOT / source).is_file(), (name, volume)
        for config in service.get("configs", []):
            assert config["source"] in COMPOSE["configs"], (name, config)
    assert set(COMPOSE["volumes"]) == {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    } - {"./deploy/nginx.conf.template"}


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


def test_the_program_reads_every_variable_that_it_is_given() -> None:
    for name, service in OURS.items():
        assert set(service["environment"]) <= variables_read(), name
    required = set(re.findall(r"\$\{([A-Z_0-9]+):\?", TEXT))
    assert required == {
        "BASE_URL",
        "SECRET_KEY",
        "POSTGRES_PASSWORD",
        "S3_ACCESS_KEY",
        "S3_SECRET_KEY",
    }
    # Whatever else is taken from the environment has a value of its own.
    assert not re.findall(r"(?<!\$)\$\{[A-Z_0-9]+\}", TEXT)


def test_nothing_but_the_proxy_is_reached_from_outside_and_it_sees_blind_copies_alone() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["proxy"]["ports"] == ["${LISTEN_ON:-127.0.0.1:8080}:80"]
    mounted = [volume.split(":") for volume in SERVICES["proxy"]["volumes"]]
    assert all(parts[-1] == "ro" for parts in mounted)
    assert {parts[1] for parts in mounted} == {
        "/etc/nginx/templates/default.conf.template",
        "/data/blind",
    }


def test_the_template_of_the_proxy_gets_every_value_it_asks_for() -> None:
    template = (ROOT / "deploy" / "nginx.conf.template").read_text(encoding="utf-8")
    code = "\n".join(line.partition("#")[0] for line in template.splitlines())
    assert set(re.findall(r"\$\{([A-Z_]+)\}", code)) == set(SERVICES["proxy"]["environment"])
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
    assert {name[1:] for name in typed[2].split()} == set(SERVICES["proxy"]["environment"])


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
    values = dict.fromkeys(
        ("BASE_URL", "SECRET_KEY", "POSTGRES_PASSWORD", "S3_ACCESS_KEY", "S3_SECRET_KEY"), "x"
    )
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    (tmp_path / "compose.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / ".env").write_text(
        "".join(f"{name}={value}\n" for name, value in values.items()), encoding="utf-8"
    )
    command = [docker, "compose", "config", "--quiet"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_part_of_the_program_shares_one_image_and_one_data_folder(name: str) -> None:
    assert OURS[name]["image"] == "fartbench:local"
    assert OURS[name]["volumes"] == ["data:/data", "blind:/data/blind"]
