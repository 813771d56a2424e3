"""Keeping an installation whole: backup, restore, checks of data and trail, health."""
