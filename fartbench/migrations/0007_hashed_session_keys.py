"""Rows of sessions get a hash in place of their key, so that those who are logged in stay so."""

from typing import Any

from django.db import migrations

from fartbench.sessionstore import stored_key


def hash_keys(apps: Any, _editor: Any) -> None:
    model = apps.get_model("sessions", "Session")
    for session in model.objects.all():
        key = session.session_key
        session.session_key = stored_key(key)
        session.save(force_insert=True)
        model.objects.filter(session_key=key).delete()


class Migration(migrations.Migration):
    dependencies = (("fartbench", "0006_round_secret"), ("sessions", "0001_initial"))
    # Back again they are keys that no cookie has: everyone logs in anew.
    operations = (migrations.RunPython(hash_keys, migrations.RunPython.noop),)
