"""Happening 6: files as people have them. Python detects how they are written as the command line does, and warns of it."""

import pathlib

import amidst
import pyarrow as pa
import pytest

GERMAN = "Größe;Stadt;Krankheit\n1,81;Köln;Grippe\n1,83;Köln;Gicht\n1,61;Zürich;Grippe\n1,64;Zürich;Gicht\n"
ROLES = {"quasi": ["Größe", "Stadt"], "sensitive": "Krankheit"}


@pytest.fixture
def german(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "in.csv"
    file.write_bytes(GERMAN.encode("latin-1"))
    return file


def test_a_german_export_is_read_as_it_is(german: pathlib.Path) -> None:
    with pytest.warns(UserWarning) as warned:
        release = amidst.anonymize(german, **ROLES, k=2, keep_order=True)
    messages = [str(warning.message) for warning in warned]
    assert f"the fields of `{german}` are separated by ';' (change it by delimiter=\",\")" in messages
    assert any("is read as windows-1252" in message and 'encoding="NAME"' in message for message in messages)
    assert pa.table(release.table)["Stadt"].to_pylist() == ["Köln", "Köln", "Zürich", "Zürich"]
    assert (release.plan["input"]["delimiter"], release.plan["input"]["encoding"]) == (";", "windows-1252")


def test_what_is_said_is_not_guessed(german: pathlib.Path, recwarn: pytest.WarningsRecorder) -> None:
    release = amidst.anonymize(german, **ROLES, k=2, delimiter=";", encoding="latin1")
    plan = amidst.init(german, delimiter=";", encoding="iso-8859-15")
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]
    assert release.plan["input"]["encoding"] == "windows-1252"
    assert plan["input"]["encoding"] == "iso-8859-15"
    with pytest.raises(amidst.UsageError, match=r'name the encoding of the file \(encoding="windows-1252"\)'):
        amidst.anonymize(german, **ROLES, k=2, delimiter=";", encoding="utf-8")
    with pytest.raises(amidst.UsageError, match="there is no encoding named `klingon`"):
        amidst.init(german, encoding="klingon")


def test_the_first_patient_is_no_header(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("39,State-gov,Male\n50,Private,Male\n38,Private,Female\n53,Private,Female\n")
    for call in (amidst.init, amidst.risk, lambda table: amidst.anonymize(table, quasi="39", k=2)):
        with pytest.raises(amidst.UsageError, match=r"looks like data.*\(header=False\).*\(header=True\)") as raised:
            call(file)
        assert "State-gov" not in str(raised.value)
    release = amidst.anonymize(file, quasi=["column_1", "column_3"], k=2, header=False, others="drop")
    table = pa.table(release.table)
    assert (table.column_names, table.num_rows) == (["column_1", "column_3"], 4)
    assert release.plan["input"]["header"] is False


def test_a_release_has_no_name_of_another_format(german: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(amidst.UsageError, match="is no name for a release"):
        amidst.anonymize(german, **ROLES, k=2, delimiter=";", encoding="latin1", output=tmp_path / "out.xlsx")
    assert not (tmp_path / "out.xlsx").exists()
