"""The web process."""

import os

from django.core.wsgi import get_wsgi_application

from fartbench.weak import refuse_weak_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fartbench.settings")

application = get_wsgi_application()
refuse_weak_settings()
