"""Pages of visitors and of staff.

Reviewers' pages are in `review`, which cannot know what made a clip.
"""
