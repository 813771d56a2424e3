"""The name under which marks in the sound are kept.

They are for listening, are no metric, and fill no column.
"""

MARKS = "sound_marks"
