"""What the pages show, read from rows and releases.

Nothing here writes, and nothing is scored here.
"""
