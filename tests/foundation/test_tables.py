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
        "sep=;\na;b\n1;x y\n2;\n",
        "\ufeffsep=;\r\na;b\r\n1;x y\r\n2;\r\n",
        "SEP=,\na,b\n1,x y\n2,\n",
        "sep=\t\na\tb\n1\tx y\n2\t\n",
        "sep=|\na|b\n1|x y\n2|\n",
        '"sep=;"\na;b\n1;x y\n2;\n',
        "sep=,,,\na,b,,\n1,x y,,\n2,,,\n",
        "a,b,,\n1,x y,,\n2,,,\n,,,\n,,,\n",
        "a;b;;;;\r\n1;x y\r\n2\r\n;;;;;\r\n\r\n",
        "a,,b\n1,,x y\n2,,\n",
        ",a,b\n,1,x y\n,2,\n",
        "\n\na,b\n1,x y\n2,\n",
        ",,\n a , b \n1,x y\n2\n",
        '"a";"b"\n"1";"x y"\n"2";""\n',
        "a,b\n1,x y\n2,",
        "a,b\n1,x y\n2\n\n\n".encode("utf-16"),
        "a\tb\r\n1\tx y\r\n2\t\r\n".encode("utf-16-le").join([b"\xff\xfe", b""]),
    ],
)
def test_any_spreadsheet_s_csv_is_read_alike(tmp_path: Path, content: str | bytes) -> None:
    rows = read_table(table(tmp_path, content), required=("a",), optional=("b",))
    assert [(row["a"], row["b"]) for row in rows] == [("1", "x y"), ("2", "")]


def test_a_row_has_the_number_a_spreadsheet_shows(tmp_path: Path) -> None:
    rows = read_table(table(tmp_path, 'a,b\n"1\n1",x\n\n2,y\n'), required=("a", "b"))
    assert [row.number for row in rows] == [2, 4]
    assert rows[1].fault("b", "is odd") == "row 4, b: is odd"
    rows = read_table(table(tmp_path, "sep=;\na;b\n1;x\n;\n2;y\n"), required=("a", "b"))
    assert [row.number for row in rows] == [2, 4], "a spreadsheet does not show the line “sep=;”"


@pytest.mark.parametrize("head", ["", "sep=;\n", "sep=,\n"])
def test_the_delimiter_is_the_one_by_which_the_header_has_its_columns(
    tmp_path: Path, head: str
) -> None:
    content = f"{head}a;b\n1,5;x,y\n" if head != "sep=,\n" else f'{head}a,"b"\n"1,5","x,y"\n'
    row = read_table(table(tmp_path, content), required=("a", "b"))[0]
    assert (row["a"], row["b"]) == ("1,5", "x,y")


def test_a_missing_optional_column_reads_as_empty(tmp_path: Path) -> None:
    assert read_table(table(tmp_path, "a\n1\n"), required=("a",), optional=("b",))[0]["b"] == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "the file is empty"),
        ("\n,,\n\n", "the file is empty"),
        ("sep=;\n", "the file is empty"),
        ("a,b\n", "there is a header and no row"),
        ("a,b,,\n,,,\n", "there is a header and no row"),
        ("b\n1\n", "header: the column 'a' is missing"),
        ("a,c,d\n1,2,3\n", "header: the columns 'c', 'd' are not known; the columns are a, b"),
        ("a,a\n1,2\n", "header: the column 'a' is there more than once"),
        ("x,y,z,u,v,w\n1,2,3,4,5,6\n", "header: the first row must name the columns (a, b)"),
        ("Results of May\na,b\n1,2\n", "It is 'Results of May'"),
        ("a|b\n1|2\n", "header: the first row must name the columns (a, b)"),
        ("sep=;\na,b\n1,2\n", "header: the first row must name the columns (a, b)"),
        ("sep=\na;b\n1;2\n", "line 1: “sep=” must name one character"),
        ("sep=;;;,x\na;b\n1;2\n", "line 1: “sep=” must name one character"),
        ("a,b\n1,2,3\n4,5\n", "row 2: '3' is in column 3, which has no name in the header"),
        ("a,,b\n1,9,2\n", "row 2: '9' is in column 2, which has no name in the header"),
        ("a,b\n1,2\n3", "row 3: the file ends in the middle of this row"),
        ('a,b\n"1,2\n', "the file is not CSV"),
        ("a,b\n1,\0\n", "the file is not text: it holds zero bytes"),
        ("a,b\n1,2\n".encode("utf-16-le"), "the file is not text: it holds zero bytes"),
        (b"a,b\n\xff\xfe,2\n", "the file is not valid UTF-8; save it as “CSV UTF-8”"),
        ("a,b\n1,é\n".encode("cp1252"), "the file is not valid UTF-8"),
        (b"PK\x03\x04\x14\0\x06\0xl/workbook.xml", "a spreadsheet’s own format, not CSV"),
    ],
)
def test_a_file_that_is_wrong_has_one_fault_and_it_is_named(
    tmp_path: Path, content: str | bytes, expected: str
) -> None:
    path = table(tmp_path, content)
    with pytest.raises(BadInput) as caught:
        read_table(path, required=("a",), optional=("b",))
    assert str(path) in str(caught.value)
    (fault,) = caught.value.faults
    assert expected in fault


def test_each_bad_row_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        read_table(table(tmp_path, "a,b\n1,2,3\n4,5\n,,6\n"), required=("a",), optional=("b",))
    assert [fault[:6] for fault in caught.value.faults] == ["row 2:", "row 4:"]


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        read_table(tmp_path / "none.csv", required=("a",))
    with pytest.raises(BadInput, match="it is not a regular file"):
        read_table(tmp_path, required=("a",))
