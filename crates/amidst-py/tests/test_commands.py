"""The functions do what the commands do: the same plan and seed give the same release and the same figures."""

import csv
import gzip
import io
import json
import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import amidst

AMIDST = os.environ.get("AMIDST")
ADULT = Path(__file__).parents[3] / "data/adult"
QUASI = ["age", "workclass", "education-num", "marital-status", "race", "sex"]

pytestmark = pytest.mark.skipif(not AMIDST, reason="AMIDST names no binary")


def command(*arguments):
    done = subprocess.run([AMIDST, *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    """Eight hundred rows of Adult, as text, in a frame and in a file."""
    with gzip.open(ADULT / "adult.csv.gz", "rt") as file:
        rows = list(csv.reader(file))[:801]
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return pd.DataFrame(rows[1:], columns=rows[0]), path


def cells(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"k": 5, "seed": 7},
        {"k": 10, "sensitive": "occupation", "l": 3, "partitioner": "mondrian"},
        {"k": 5, "sensitive": "occupation", "require": "t-closeness(t=0.5)", "publish": "anatomy", "l": 2},
        {"k": 5, "suppress": 0.02, "measure": "ncp"},
        {"k": 5, "hierarchy": {"age": amidst.widths(5, 10, 20), "sex": amidst.flat()}, "show": {"education-num": "bounds"}},
    ],
    ids=lambda arguments: ",".join(arguments),
)
def test_arguments_are_flags(adult, tmp_path, arguments):
    frame, path = adult
    flags = [f"--quasi={','.join(QUASI)}"]
    for name, value in arguments.items():
        if name == "hierarchy":
            flags += ["--hierarchy=age=widths:5,10,20", "--hierarchy=sex=flat"]
        elif name == "show":
            flags += ["--show=education-num=bounds"]
        else:
            flags.append(f"--{name}={value}")
    theirs = command("anonymize", path, "-o", tmp_path / "release.csv", *flags)
    ours = amidst.anonymize(frame, quasi=QUASI, shuffle=True, **arguments)
    pd.testing.assert_frame_equal(ours.table.astype(str), cells(tmp_path / "release.csv"))
    for name, part in ours.parts.items():
        pd.testing.assert_frame_equal(part.astype(str), cells(tmp_path / f"release.{name}.csv"))
    for figure in ("achieved", "class_sizes", "loss", "classes"):
        assert ours.report()[figure] == theirs[figure]
    assert ours.plan == amidst.Plan.load(tmp_path / "release.plan.toml")


def test_a_plan_file_and_a_plan(adult, tmp_path):
    frame, path = adult
    theirs = command("anonymize", path, "-o", tmp_path / "release.csv", "--plan", ADULT / "plan.toml", "--k", "4")
    plan = amidst.Plan.load(ADULT / "plan.toml")
    for given in (ADULT / "plan.toml", plan, dict(plan)):
        ours = amidst.anonymize(frame, plan=given, k=4)
        pd.testing.assert_frame_equal(ours.table.astype(str), cells(tmp_path / "release.csv"))
        assert ours.report()["loss"] == theirs["loss"]
    plan.save(tmp_path / "saved.toml")
    assert amidst.Plan.load(tmp_path / "saved.toml") == plan
    # The plan of a release makes it again, and its row order with it.
    pd.testing.assert_frame_equal(amidst.anonymize(frame, plan=ours.plan).table, ours.table)


def test_init(adult, tmp_path):
    frame, path = adult
    subprocess.run([AMIDST, "init", path, "-o", tmp_path / "plan.toml"], check=True, capture_output=True)
    theirs = amidst.Plan.load(tmp_path / "plan.toml")
    assert amidst.init(path) == theirs
    ours = amidst.guess_plan(frame)
    assert ours["method"].pop("order") == "keep"
    assert theirs["method"].pop("order") == "shuffle"
    assert ours == theirs
    remarks = [line.split("#", 1)[1].strip() for line in (tmp_path / "plan.toml").read_text().splitlines() if " # " in line]
    assert [*ours.reasons.values()] == [r for r in remarks if r in ours.reasons.values()]


def test_audit_measure_attack(adult, tmp_path):
    frame, path = adult
    flags = [f"--quasi={','.join(QUASI)}", "--sensitive=occupation"]
    command("anonymize", path, "-o", tmp_path / "release.csv", *flags, "--k=5", "--l=2")
    ours = amidst.anonymize(frame, quasi=QUASI, sensitive="occupation", k=5, l=2, shuffle=True)
    planned = ["--plan", tmp_path / "release.plan.toml"]
    assert amidst.audit(ours, original=frame) == command(
        "audit", tmp_path / "release.csv", *planned, "--original", path
    )
    assert amidst.audit(ours.table, QUASI, sensitive="occupation", k=6) == command(
        "audit", tmp_path / "release.csv", *flags, "--k=6"
    )
    assert amidst.measure(frame, ours, measures="quick") == command(
        "measure", path, tmp_path / "release.csv", *planned, "--measures=quick"
    )
    found = amidst.attack(frame, ours, attacks=["linking", "homogeneity"])
    assert found == command("attack", path, tmp_path / "release.csv", *planned, "--attacks=linking,homogeneity")
    assert found.passed


def test_compare_and_bound(adult):
    frame, path = adult
    columns = ["age", "sex", "race"]
    theirs = command("compare", path, "--quasi=age,sex,race", "--k=5,20", "--algorithms=mondrian,hilbert")
    ours = amidst.compare(frame, columns, k=[5, 20], algorithms=["mondrian", "hilbert"])
    for run in [*ours["runs"], *theirs["runs"]]:
        del run["seconds"], run["cpu_seconds"]
    assert ours == theirs
    theirs = command("bound", path, "--quasi=age,sex,race", "--k=5")
    ours = amidst.bound(frame, columns, k=5)
    assert ours["bound"] == theirs["bound"]


def test_reports(adult, tmp_path):
    frame, _ = adult
    files = [tmp_path / name for name in ("report.html", "report.json", "report.txt")]
    release = amidst.anonymize(frame, ["age", "sex"], sensitive="occupation", k=5, report=files)
    page, form, text = (file.read_text() for file in files)
    assert json.loads(form) == release.report()
    assert page.count("<svg") >= 10 and "asked and reached" in text
    # A frame is no file: there is nothing to take a fingerprint of, and no command makes it again.
    assert release.report()["details"]["files"] == [] and "again" not in release.report()["details"]
    amidst.compare(frame, ["age", "sex"], k=[5, 20], algorithms="mondrian", report=tmp_path / "trade.html")
    assert "<svg" in (tmp_path / "trade.html").read_text()
    with pytest.raises(amidst.UsageError, match="is no page; its name must end in .html"):
        amidst.compare(frame, ["age"], k=5, algorithms="mondrian", report=tmp_path / "trade.pdf")


def test_risk(adult, tmp_path):
    frame, path = adult
    assert amidst.risk(frame, ["age", "sex", "race"], sample=0.1) == command(
        "risk", path, "--quasi=age,sex,race", "--sample=0.1"
    )
    command("anonymize", path, "-o", tmp_path / "release.csv", "--quasi=age,sex", "--k=5")
    ours = amidst.anonymize(frame, quasi=["age", "sex"], k=5, shuffle=True)
    assert amidst.risk(ours) == command(
        "risk", tmp_path / "release.csv", "--plan", tmp_path / "release.plan.toml"
    )


@pytest.mark.parametrize("name", ["partitioners", "measures", "constraints", "publishers", "refiners", "attacks"])
def test_lists(name):
    assert getattr(amidst, f"list_{name}")() == command("list", name)


def test_errors_say_the_same(adult, tmp_path):
    frame, path = adult
    for arguments, flags in [
        ({"quasi": "aeg", "k": 5}, ["--quasi=aeg", "--k=5"]),
        ({"quasi": "age", "k": 5000}, ["--quasi=age", "--k=5000"]),
        ({"quasi": "age", "k": 5, "l": 2}, ["--quasi=age", "--k=5", "--l=2"]),
        ({"quasi": "age", "k": 5, "partitioner": "mondrain"}, ["--quasi=age", "--k=5", "--partitioner=mondrain"]),
        ({"quasi": "age", "k": 5, "hierarchy": {"sex": amidst.flat()}}, ["--quasi=age", "--k=5", "--hierarchy=sex=flat"]),
    ]:
        done = subprocess.run(
            [AMIDST, "anonymize", path, "-o", tmp_path / "r.csv", *flags], capture_output=True, text=True
        )
        with pytest.raises(amidst.AmidstError) as raised:
            amidst.anonymize(frame, **arguments)
        assert str(raised.value) == done.stderr.strip().removeprefix("error: ").replace(str(path), "DataFrame")
        assert isinstance(raised.value, amidst.InfeasibleError if done.returncode == 1 else amidst.UsageError)
