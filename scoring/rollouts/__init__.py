"""Rounds of long rollouts: from their record to columns, releases and pages.

There is no overall score.
"""
