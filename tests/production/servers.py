"""A real S3 server, gunicorn and nginx on loopback, for tests of what an installation runs in
service.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import boto3
import httpx
from botocore.config import Config
from django.conf import settings

from tests.servers import START_SECONDS, _new_folder, _running, _wait_until, free_ports

ROOT = Path(__file__).parent.parent.parent
ACCESS_KEY, SECRET_KEY = "lab", "a-secret-of-the-bucket"


def answers(url: str) -> bool:
    """Say whether anything answers at ``url``, whatever it says."""
    with httpx.Client(trust_env=False, timeout=20) as client, suppress(httpx.TransportError):
        client.get(url)
        return True
    return False


@dataclass
class Bucket:
    """An empty bucket on an S3 server, which can be stopped and started on the same address and
    data.
    """

    folder: Path
    ports: list[int]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.ports[0]}"

    @property
    def environment(self) -> dict[str, str]:
        """What the settings read."""
        keys = {"S3_ACCESS_KEY": ACCESS_KEY, "S3_SECRET_KEY": SECRET_KEY}
        return {
            "S3_BUCKET": "fartbench",
            "S3_ENDPOINT": self.endpoint,
            "S3_REGION": "us-east-1",
            **keys,
        }

    @property
    def options(self) -> dict[str, str]:
        """What STORAGES gets from that environment."""
        keys = {"access_key": ACCESS_KEY, "secret_key": SECRET_KEY}
        return {
            "bucket_name": "fartbench",
            "endpoint_url": self.endpoint,
            "region_name": "us-east-1",
            **keys,
        }

    def client(self) -> boto3.client:
        """Return a client of the server that is not the product's."""
        config = Config(retries={"max_attempts": 8}, s3={"addressing_style": "path"})
        keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY}
        return boto3.client(
            "s3", endpoint_url=self.endpoint, region_name="us-east-1", config=config, **keys
        )

    def names(self) -> set[str]:
        """Return the names of all that is in it."""
        return {
            entry["Key"]
            for entry in self.client().list_objects_v2(Bucket="fartbench").get("Contents", [])
        }

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the server (SeaweedFS in one process)."""
        names = ("s3.port", "s3.port.grpc", "master.port", "master.port.grpc", "volume.port",
                 "volume.port.grpc",
                 "filer.port", "filer.port.grpc")  # fmt: skip
        ports = [f"-{name}={port}" for name, port in zip(names, self.ports, strict=True)]
        where = [f"-dir={self.folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
        small = [
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-master.telemetry=false",
            "-master.volumeSizeLimitMB=64",
            "-volume.max=32",  # a bucket takes seven at once, and a test makes a second one
            "-volume.preStopSeconds=0",
        ]
        weed = Path(sys.executable).with_name("weed")
        config = f"-s3.config={self.folder / 's3.json'}"
        command = [
            "setpriv",
            "--pdeathsig=KILL",
            "--",
            weed,
            "server",
            "-s3",
            config,
            *ports,
            *where,
            *small,
        ]
        with _running(command, self.folder, signal.SIGKILL) as is_alive:
            _wait_until(lambda: answers(self.endpoint), is_alive, self.folder)
            yield


@contextmanager
def s3_bucket() -> Iterator[Bucket]:
    """Run an S3 server and yield an empty bucket on it."""
    with _new_folder("fartbench-s3-") as folder:
        (folder / "data").mkdir()
        (folder / "s3.json").write_text(
            f'{{"identities": [{{"name": "lab", "actions": ["Admin", "Read", "Write", "List"], '
            '"credentials": '
            f'[{{"accessKey": "{ACCESS_KEY}", "secretKey": "{SECRET_KEY}"}}]}}]}}'
        )
        bucket = Bucket(folder, free_ports(8))
        with bucket.running():
            bucket.client().create_bucket(Bucket="fartbench")
            yield bucket


@contextmanager
def gunicorn(environment: Mapping[str, str], port: int, *flags: str) -> Iterator[int]:
    """Run the web process as in service and yield its process id."""
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "fartbench.wsgi",
        "--config",
        "deploy/gunicorn.conf.py",
    ]
    with _process([*command, "--bind", f"127.0.0.1:{port}", *flags], environment) as pid:
        yield pid


@contextmanager
def celery_worker(environment: Mapping[str, str], name: str, *flags: str) -> Iterator[int]:
    """Run a Celery worker of one process and yield its process id."""
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "fartbench.celery",
        "worker",
        "--concurrency",
        "1",
        "-l",
        "error",
    ]
    with _process([*command, "-n", f"{name}@%h", *flags], environment) as pid:
        yield pid


@contextmanager
def nginx(folder: Path, *, port: int, web: int, **other: str) -> Iterator[str]:
    """Run nginx with the template that the product ships, in front of gunicorn, and yield its
    address. ``other`` are values that the template gets instead of the usual ones.
    """
    filled = (ROOT / "deploy" / "nginx.conf.template").read_text(encoding="utf-8")
    values = {
        "LISTEN": f"127.0.0.1:{port}",
        "WEB": f"127.0.0.1:{web}",
        "RESOLVER": "127.0.0.1",
        "DATA_DIR": str(settings.DATA_DIR),
    }
    for name, value in (values | {"SCHEME": "http", "FRONT": "127.0.0.1"} | other).items():
        filled = filled.replace(f"${{{name}}}", value)
    user = "user root;\n" if os.geteuid() == 0 else ""
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf = folder / "nginx.conf"
    conf.write_text(
        f"{user}daemon off;\npid {folder}/nginx.pid;\nerror_log stderr warn;\nevents {{}}\n"
        f"http {{\naccess_log {folder}/access.log;\n{temporary}{filled}\n}}\n",
        encoding="utf-8",
    )
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    command = [
        "setpriv",
        "--pdeathsig=TERM",
        "--",
        program,
        "-p",
        folder,
        "-e",
        "stderr",
        "-c",
        conf,
    ]
    with _running(command, folder, signal.SIGTERM) as is_alive:
        _wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), is_alive, folder)
        yield f"http://127.0.0.1:{port}"


def wait_for(condition: Callable[[], bool], *, seconds: float = START_SECONDS) -> None:
    """Wait until ``condition`` holds; fail when it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.1)


@contextmanager
def _process(command: list[str], environment: Mapping[str, str]) -> Iterator[int]:
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig=TERM", "--", *command],
        env={**environment},
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        yield process.pid
    finally:  # nothing that they hold would be lost: that is what the product promises
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
