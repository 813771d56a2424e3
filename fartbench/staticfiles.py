"""Static files with names that change with their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Hashed names, in ``import`` statements of JavaScript modules too; plain names for what was
    not collected.
    """

    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        # A development server or a test has collected nothing: then a file is served under its own
        # name.
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name
