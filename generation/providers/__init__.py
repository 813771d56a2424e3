"""Providers of clips: one port, an adapter for each wire contract. No Django here."""
