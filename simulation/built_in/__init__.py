"""The built-in providers: they draw their clips here, when they are fetched. No Django here."""
