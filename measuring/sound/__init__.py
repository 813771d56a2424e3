"""What a machine hears in a clip, for people to look at after the lock: candidates that a person
confirms, no score.
"""
