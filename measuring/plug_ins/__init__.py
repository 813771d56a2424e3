"""Metrics that take a model's weights. Without them they are unavailable; nothing replaces them.

No Django here.
"""
