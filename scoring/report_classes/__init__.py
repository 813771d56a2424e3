"""The reports of a round as classes. No Django here."""
