"""Backup and restore of a whole installation: rows, clips, blind copies and releases, each checked
by its hash.
"""
