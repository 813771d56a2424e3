"""Tables as spreadsheets write them, and the faults that are named."""

from pathlib import Path

import pytest

from fartbench.errors import BadInput
from fartbench.tables import read_table


def table(folder: Path, content: str | bytes) -> Path:
    path = folder / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,x y\n2,\n",
        "\ufeffa,b\n1,x y\n2,\n",
        "a;b\r\n1;x y\r\n2;\r\n",
        'a\tb\n"1"\tx y\n2\t\n',
        '"b","a"\n" x y ","1"\n"",2\n',
        "a,b\n\n1,x y\n,\n2,\n",
        "a,b\r1,x y\r2,\r",
    ],
)
def test_any_spreadsheet_s_csv_is_read_alike(tmp_path: Path, content: str) -> None:
    rows = read_table(table(tmp_path, content), required=("a",), optional=("b",))
    assert [(row["a"], row["b"]) for row in rows] == [("1", "x y"), ("2", "")]


def test_a_row_has_the_number_a_spreadsheet_shows(tmp_path: Path) -> None:
    rows = read_table(table(tmp_path, 'a,b\n"1\n1",x\n\n2,y\n'), required=("a", "b"))
    assert [row.number for row in rows] == [2, 4]
    assert rows[1].fault("b", "is odd") == "row 4, b: is odd"


def test_a_missing_optional_column_reads_as_empty(tmp_path: Path) -> None:
    assert read_table(table(tmp_path, "a\n1\n"), required=("a",), optional=("b",))[0]["b"] == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "the file is empty"),
        ("a,b\n", "there is a header and no row"),
        ("b\n1\n", "header: the column 'a' is missing"),
        ("a,c\n1,2\n", "header: there is no column 'c'"),
        ("a,a\n1,2\n", "header: the column 'a' appears 2 times"),
        ("a,b\n1,2,3\n4,5\n6\n", "row 2: 3 cells where the header has 2"),
        ('a,b\n"1,2\n', "this is not CSV"),
        (b"a,b\n\xff\xfe,2\n", "no text in UTF-8"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, content: str | bytes, expected: str) -> None:
    path = table(tmp_path, content)
    with pytest.raises(BadInput) as caught:
        read_table(path, required=("a",), optional=("b",))
    assert str(path) in str(caught.value)
    assert any(expected in fault for fault in caught.value.faults)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        read_table(tmp_path / "none.csv", required=("a",))
    with pytest.raises(BadInput, match="cannot be read"):
        read_table(tmp_path, required=("a",))
