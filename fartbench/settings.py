"""Settings, all from the environment; ``.env.example`` lists every variable."""

import os
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from fartbench.secret_files import SecretFileUnreadable, read_secret_files
from fartbench.secret_key import kept_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")
try:
    read_secret_files(os.environ)
except SecretFileUnreadable as fault:
    raise ImproperlyConfigured(str(fault)) from fault

DEBUG = env.bool("DEBUG", default=False)

# Everything the product writes lies under one folder, so that one checkout can hold several
# installations.
DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()

BASE_URL = env.str("BASE_URL", default="http://127.0.0.1:8000").rstrip("/")
_IS_HTTPS = BASE_URL.startswith("https://")
_HOST = environ.urlparse(BASE_URL).hostname or "127.0.0.1"
_IS_LOOPBACK = _HOST in {"127.0.0.1", "localhost", "::1"}


def _secret_key() -> str:
    """Return SECRET_KEY, or for an installation on loopback one that is made once and kept in
    DATA_DIR.
    """
    if named := env.str("SECRET_KEY", default=""):
        return str(named)
    if not _IS_LOOPBACK:
        raise ImproperlyConfigured(
            "Set SECRET_KEY: BASE_URL is not a loopback address, so none is made for you."
        )
    return kept_secret_key(DATA_DIR / "secret_key")


SECRET_KEY = _secret_key()
# Earlier keys: what they signed is still good. For the time after SECRET_KEY was changed.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=[_HOST, *(["127.0.0.1", "localhost"] if _IS_LOOPBACK else [])]
)
CSRF_TRUSTED_ORIGINS = [BASE_URL]

INSTALLED_APPS = [
    "fartbench",
    "generation",
    "blinding",
    "review",
    "judging",
    "measuring",
    "scoring",
    "operations",
    "rounds",
    "web",
    "api",
    "authoring",
    "simulation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
]

MIDDLEWARE = [
    "fartbench.probes.answer_any_host",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "fartbench.accounts.remember_request",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "web.closed_pages.ClosedWhileReviewing",
    "fartbench.nul.RefuseNul",
]

ROOT_URLCONF = "web.urls"
WSGI_APPLICATION = "fartbench.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'db.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # Writers queue instead of failing half way, nothing reported as saved is lost, and REPLACE
        # fires the guards.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA "
        "recursive_triggers=ON;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 600
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # Statements that come often are planned once for each connection, which takes longer than
    # running them.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        {"server_side_binding": True, "prepare_threshold": 5}
    )

# Who may do what in PostgreSQL (fartbench/database_roles.py): the owner, for what changes tables,
# and the role that everything else works with.
DATABASE_OWNER = env.db("DATABASE_OWNER_URL") if env.str("DATABASE_OWNER_URL", default="") else {}
DATABASE_PROGRAM = {name: DATABASES["default"].get(name, "") for name in ("USER", "PASSWORD")}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["review.backend.AccountBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
PASSWORD_HASHERS = env.list(
    "PASSWORD_HASHERS",
    default=[
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        "django.contrib.auth.hashers.ScryptPasswordHasher",
    ],
)
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files"},
    },
    "staticfiles": {"BACKEND": "fartbench.staticfiles.ModuleManifestStorage"},
}

if _BUCKET := env.str("S3_BUCKET", default=""):
    # Raw clips and blind copies. Only this program reads the bucket: no address in it is ever given
    # away.
    _BUCKET_OPTIONS = {
        "bucket_name": _BUCKET,
        "endpoint_url": env.str("S3_ENDPOINT", default=""),
        "region_name": env.str("S3_REGION", default=""),
        "access_key": env.str("S3_ACCESS_KEY", default=""),
        "secret_key": env.str("S3_SECRET_KEY", default=""),
    }
    STORAGES["bucket"] = {
        "BACKEND": "fartbench.buckets.Bucket",
        "OPTIONS": {
            name: value or None for name, value in _BUCKET_OPTIONS.items()
        },  # an empty variable is not set
    }

# The folder with the weights of the metrics that take a model; without one those metrics are
# unavailable.
WEIGHTS_DIR = env.str("WEIGHTS_DIR", default="")
# What those models run on, by PyTorch's name of it (cpu, cuda, cuda:1, mps); auto takes a GPU where
# there is one.
WEIGHTS_DEVICE = env.str("WEIGHTS_DEVICE", default="auto")

# Where a proxy in front finds blind copies in DATA_DIR, to send them itself: see
# deploy/nginx.conf.template.
X_ACCEL_PREFIX = env.str("X_ACCEL_PREFIX", default="").rstrip("/")
# Without a collected manifest (tests, runserver) files are found where they lie.
WHITENOISE_USE_FINDERS = not (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_MANIFEST_STRICT = False

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [
            SELF,
            "blob:",
        ],  # the player hands the bytes of a clip that it fetched to its own <video>
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

SESSION_ENGINE = "fartbench.sessionstore"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = _IS_HTTPS
SESSION_COOKIE_AGE = env.int("SESSION_DAYS", default=14) * 24 * 3600
STAFF_SESSION_HOURS = env.int("STAFF_SESSION_HOURS", default=12)
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _IS_HTTPS else 0
# Promises for hosts below this one, too: a lab whose others speak plain http turns it off.
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _IS_HTTPS and env.bool(
    "HSTS_SUBDOMAINS", default=True
)
SECURE_REFERRER_POLICY = "same-origin"
# Anyone who watches the process asks it directly, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
X_FRAME_OPTIONS = "DENY"
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# The largest form is a page of prompts, the one with most fields a table of clips. Its files are
# short tables: `fartbench.uploads.BoundedUpload` takes one in each form.
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000
# Clips that an admin sends through the browser, in one upload.
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_GB", default=20) * 1_000_000_000
UPLOAD_MAX_FILES = DATA_UPLOAD_MAX_NUMBER_FILES = env.int("UPLOAD_MAX_FILES", default=2000)
FILE_UPLOAD_HANDLERS = [
    "fartbench.uploads.BoundedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
]

INVITE_DAYS = env.int("INVITE_DAYS", default=14)

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = (
    None  # a broker that is away for a night must not end the workers
)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False  # its lines then go the way of all others
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A message is only a wake-up: a broker that is away is passed over at once and not waited for.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "max_retries": 1,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "fartbench.logs.LineFormatter"},
        "json": {"()": "fartbench.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="line"),
        }
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
    # Strangers ask for other hosts all day: they get 400, and the log no traceback of each.
    "loggers": {"django.security.DisallowedHost": {"level": "CRITICAL"}},
}

# The address of the terms under which releases may be used; it is in every release.
RELEASE_LICENCE = env.str("RELEASE_LICENCE", default="")
# Which sites may show the pages under /embed/ in a frame: sources of the policy frame-ancestors.
# These pages have no form and know no account. Empty: none may.
EMBED_ANCESTORS = env.list("EMBED_ANCESTORS", default=["*"])
OPERATOR = env.str("OPERATOR", default="")  # who runs this installation, as reviewers read it
