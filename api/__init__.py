"""The interface for programs: the same services, selectors and steps as the pages, without rules of
its own.
"""
