"""Hierarchies, progress, interruption, errors, threads, and how things show themselves."""

import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import polars as pl
import pytest

import amidst

QUASI = ["age", "zip", "sex"]


def test_hierarchies(people, tmp_path):
    frame = pd.DataFrame({"zip": people["zip"].drop_duplicates()})
    frame["area"], frame["root"] = frame["zip"].str[:2], "*"
    nested = {"*": {area: list(zips) for area, zips in frame.groupby("area")["zip"]}}
    frame.to_csv(tmp_path / "zip.csv", sep=";", header=False, index=False)
    short = frame.assign(area=frame["area"].where(frame["area"] == "75"))
    tables = [
        amidst.anonymize(people, quasi=QUASI, k=3, seed=1, identifier="name", hierarchy={"zip": tree}).table
        for tree in (frame, pl.from_pandas(frame), nested, tmp_path / "zip.csv", str(tmp_path / "zip.csv"))
    ]
    assert {*tables[0]["zip"]} <= {*people["zip"], "75", "10", "*"}
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])
    assert {*amidst.anonymize(people, quasi=QUASI, k=6, identifier="name", hierarchy={"zip": short}).table["zip"]} <= {"75", "*"}
    masked = amidst.anonymize(people, quasi=QUASI, k=3, identifier="name", hierarchy={"zip": "mask:1,2,3,4"})
    assert masked.plan["columns"]["zip"]["hierarchy"] == {"mask": [1, 2, 3, 4]}
    groups = amidst.anonymize(
        people, quasi=["age"], identifier=["name", "zip"], sensitive="disease", k=3, l=1.5, groups={"disease": {"*": {"cold": ["flu", "cold"], "g": ["gout"]}}}
    )
    assert groups.report()["achieved"]["sensitive"]["disease"]["l"] >= 1.5


def big(rows=60_000):
    """A table on which the work lasts."""
    numbers = range(rows)
    return pl.DataFrame({f"x{p}": [(i * i * p + i) % (990 + p) for i in numbers] for p in (3, 7, 31, 127, 255, 511)})


def test_progress():
    seen = []
    # With a time, so that the work lasts however fast the machine is.
    amidst.anonymize(big(), quasi=["x3", "x7", "x31"], others="drop", k=5, time=1, progress=lambda *told: seen.append(told))
    assert len({stage for stage, _, _ in seen} - {""}) >= 1
    assert all(isinstance(stage, str) and (done <= total or total == 0) for stage, done, total in seen)
    amidst.anonymize(big(2000), quasi="x3", k=5, progress=True)
    amidst.anonymize(big(2000), quasi="x3", k=5, progress=False)


def test_a_callback_that_raises_stops_the_work():
    def no(stage, done, total):
        raise RuntimeError("enough")

    started = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        amidst.anonymize(big(), quasi=big(1).columns, k=5, time=60, progress=no)
    assert time.monotonic() - started < 20


def test_ctrl_c_stops_it():
    program = (
        "import amidst, polars as pl, sys\n"
        "rows = range(60000)\n"
        "df = pl.DataFrame({f'x{p}': [(i * i * p + i) % (990 + p) for i in rows] for p in (3, 7, 31, 127, 255, 511)})\n"
        "print('go', flush=True)\n"
        "try:\n"
        "    amidst.anonymize(df, quasi=df.columns, k=5, time=120)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', amidst.anonymize(df[:50], quasi='x3', k=5, others='drop').report()['rows'])\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert out == "stopped 50\n"


def test_other_threads_go_on():
    """The lock of the interpreter is free while the work goes on."""
    ticks, done = 0, threading.Event()

    def work():
        amidst.anonymize(big(), quasi=["x3", "x7", "x31"], k=5, partitioner="mondrian", threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.01):
        ticks += 1
    thread.join()
    assert ticks > 5


def test_threads_do_not_matter(people):
    tables = [amidst.anonymize(people, quasi=QUASI, identifier="name", k=3, seed=1, threads=threads).table for threads in (1, 2, None)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    with pytest.raises(amidst.UsageError, match="1 or more"):
        amidst.anonymize(people, quasi=QUASI, k=3, threads=0)


def test_errors(people, tmp_path):
    assert issubclass(amidst.UsageError, ValueError)
    assert issubclass(amidst.UnverifiedError, amidst.InfeasibleError)
    with pytest.raises(TypeError, match="is not a table"):
        amidst.anonymize([1, 2], quasi="age", k=2)
    with pytest.raises(amidst.UsageError, match="leave the arguments out"):
        amidst.anonymize(people, quasi="age", k=2, plan=amidst.init(people))
    with pytest.raises(amidst.UsageError, match="is not a text"):
        amidst.anonymize(people.rename(columns={"age": 7}), quasi="sex", k=2)
    with pytest.raises(amidst.UsageError, match="unknown variant `rnage`, expected one of .*`suppress`$"):
        amidst.anonymize(people, quasi="age", k=2, kind={"age": "rnage"})
    with pytest.raises(amidst.UsageError, match="DataFrame"):
        amidst.anonymize(people.head(0), quasi="age", k=2)
    with pytest.raises(amidst.FileError, match="cannot read"):
        amidst.anonymize(tmp_path / "none.csv", quasi="age", k=2)
    with pytest.raises(amidst.UsageError, match="this is no plan"):
        amidst.Plan({"columns": {}}).to_toml()
    mixed = people.assign(age=["a", *people["age"][1:]])
    with pytest.raises(amidst.UsageError, match="age"):
        amidst.anonymize(mixed, quasi="age", k=2)
    # Nothing about identifiers or sensitive values is in a message.
    with pytest.raises(amidst.InfeasibleError) as raised:
        amidst.anonymize(people, quasi="age", sensitive="disease", identifier=["name", "zip"], k=2, l=9)
    assert not any(word in str(raised.value) for word in ["Ann", "flu", "gout"])


def test_shown(people):
    release = amidst.anonymize(people, quasi=QUASI, sensitive="disease", identifier="name", k=3)
    assert "a verified release" in release._repr_html_()
    assert repr(release) == f"<amidst.Release of 12 rows in {release.report()['classes']} classes, k = 3>"
    assert "asked for" in str(release)
    json.dumps(release.report())
    audit = amidst.audit(release)
    assert audit._repr_html_().startswith("<pre>")
    assert str(audit) != repr(audit)
    assert os.fspath(amidst.__file__).endswith("__init__.py")


COMMANDS = ["init", "anonymize", "dry_run", "audit", "explain", "measure", "attack", "compare", "bound", "risk", "Anonymizer"]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_every_argument(name):
    command = getattr(amidst, name)
    section = inspect.cleandoc(command.__doc__).split("Parameters\n----------\n")[1].split("\n\n")[0]
    explained = [each for line in section.splitlines() if not line.startswith(" ") for each in line.split(", ")]
    assert sorted(explained) == sorted(inspect.signature(command).parameters)


def test_an_argument_that_is_not_there(people):
    with pytest.raises(TypeError, match=r"audit\(\) got an unexpected keyword argument 'suppress'"):
        amidst.audit(people, quasi="age", suppress=0.1)
    with pytest.raises(TypeError, match=r"Anonymizer\(\) got an unexpected keyword argument 'publish'"):
        amidst.Anonymizer(publish="anatomy")
    with pytest.raises(TypeError, match="'sensitiv'; did you mean 'sensitive'\\?"):
        amidst.anonymize(people, quasi="age", sensitiv="disease")
    with pytest.raises(TypeError, match="'efort'; did you mean 'effort'\\?"):
        amidst.Anonymizer(efort="fast")


def test_type_checkers_know_the_arguments(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import amidst\n"
        "amidst.anonymize('t.csv', 'age', k=3, kind={'age': 'set'}, seed='0x1', progress=False)\n"
        "amidst.anonymize('t.csv', 'age', k='3')\n"
        "amidst.audit('t.csv', 'age', suppress=0.1)\n"
        "amidst.Anonymizer(k=3, effort='fast', sed=1)\n"
    )
    done = subprocess.run([sys.executable, "-m", "mypy", program], capture_output=True, text=True, cwd=tmp_path)
    assert [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line] == ["3", "4", "5"], done.stdout


def test_every_name_is_exported():
    for name in amidst.__all__:
        assert getattr(amidst, name).__doc__ or name == "__version__", name


def test_anonypys_example():
    """What anonypy's users ask for: the whole frame, not quasi-identifiers and counts."""
    rows = [(6, "1", "test1", "x", 20), (6, "1", "test1", "x", 30), (8, "2", "test2", "x", 50), (8, "2", "test3", "w", 45)]
    frame = pd.DataFrame(rows, columns=["col1", "col2", "col3", "col4", "col5"])
    release = amidst.anonymize(frame, quasi=["col1", "col2", "col3"], sensitive="col4", k=2, keep_order=True)
    assert release.table.shape == frame.shape
    assert list(release.table["col5"]) == [20, 30, 50, 45]
