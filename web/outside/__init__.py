"""Published results where other sites and programs use them: tables, badges, frames, a feed,
citations. Nothing here reads a session or sets a cookie.
"""
