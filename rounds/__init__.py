"""The steps of a round: which one is due, and what each does with clips, reviewers and answers
together.
"""
