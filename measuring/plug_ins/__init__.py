"""Metrics that take a model's weights. Without them they are unavailable; nothing stands in.

No Django here.
"""
