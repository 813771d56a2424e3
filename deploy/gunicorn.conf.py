"""How gunicorn runs the web process; ``GUNICORN_CMD_ARGS`` and flags of the command win over it."""

import os
from pathlib import Path

import environ

# It is read before the settings are, and LOG_FORMAT may stand in .env.
environ.Env.read_env(Path(__file__).parent.parent / ".env")

workers = 2
worker_class = "gthread"
threads = 8
# Loaded once and shared by all workers.
preload_app = True
# A worker that hangs is ended; a page that takes longer has failed.
timeout = 60
graceful_timeout = 30
# Workers start anew now and then, at different times: memory that a library does not give back is
# freed then.
max_requests = 5000
max_requests_jitter = 500
# What was asked by whom is nobody's business: addresses of reviewers are not written down.
accesslog = None
loglevel = "warning"
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "fartbench.logs.JsonFormatter"},
        "line": {"()": "fartbench.logs.LineFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": os.environ.get("LOG_FORMAT", "line"),
        }
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "gunicorn.error": {"handlers": ["console"], "level": "WARNING", "propagate": False}
    },
}
# Its socket for commands would be made in the home folder, which a container does not let it write.
control_socket_disable = True
worker_tmp_dir = "/dev/shm"  # noqa: S108 - heartbeats must not wait for a disk
# Who speaks to it: nginx on the same machine, or in the same network of containers.
forwarded_allow_ips = "*"


def when_ready(_server: object) -> None:
    """Load every page's code too, before the first worker is there: no worker then loads what is
    being upgraded.
    """
    from django.urls import get_resolver  # noqa: PLC0415 - the program is loaded by now, and was not above

    _ = get_resolver().url_patterns
