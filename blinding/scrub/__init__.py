"""What of a coded stream may stay in a blind copy: one module per codec, each a list of what is
kept. No Django here.

Everything that a decoder does not need for the picture or the sound is left behind, whatever it
says.
"""
