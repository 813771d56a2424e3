"""What staff reads about the proof of a blind copy, for each way in which copies are made and were
made.
"""

from blinding.normalised_proof import NormalisedProof
from web.pages.blinding import CopyLine

PROOF = NormalisedProof(192, 6.25, 0.0, 0.002, -0.3, 0.998, [])


def test_a_normalised_copy_says_what_was_compared():
    line = CopyLine("a/b/1", PROOF.as_json(), (), 1)
    assert (
        "192 frames in order and in shape (the largest difference of one is 2.5 of 255 levels)"
        in line.words
    )
    assert "sound alike to 100%, -0.3 dB" in line.words
    assert line.timing == "2.000 ms"
    assert line.is_normalised


def test_a_silent_one_has_no_figures_of_sound():
    silent = NormalisedProof(192, 6.25, 0.0, None, None, None, [])
    line = CopyLine("a/b/1", silent.as_json(), (), 1)
    assert line.words.endswith("no sound.")
    assert line.timing == "0.000 ms"


def test_a_copy_from_before_such_proofs_stays_readable():
    line = CopyLine("a/b/1", None, (), 1)
    assert "not the same picture and sound bit by bit" in line.words
    assert (line.timing, line.is_normalised) == ("–", False)


def test_a_proof_that_fails_names_why():
    wrong = NormalisedProof(192, 900.0, 0.0, None, None, None, ["its sound is +20.0 ms off"])
    assert (
        CopyLine("a/b/1", wrong.as_json(), (), 1).words == "Not proven: its sound is +20.0 ms off."
    )
