"""Blind pairs: two clips of one scene side by side under opaque ids, and which of them is
preferred.
"""
