"""The functions do what the commands do: the same plan and seed give the same release and the same figures."""

import csv
import datetime
import gzip
import io
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
        {"k": 5, "hierarchy": {"age": amidst.widths(5, 10, 20), "sex": amidst.flat()}, "show": {"education-num": "bounds"},
         "kind": {"education-num": "range"}},
    ],
    ids=lambda arguments: ",".join(arguments),
)
def test_arguments_are_flags(adult, tmp_path, arguments):
    frame, path = adult
    flags = [f"--quasi={','.join(QUASI)}", "--identifier=fnlwgt"]
    for name, value in arguments.items():
        if name == "hierarchy":
            flags += ["--hierarchy=age=widths:5,10,20", "--hierarchy=sex=flat"]
        elif name == "show":
            flags += ["--show=education-num=bounds"]
        elif name == "kind":
            flags += ["--kind=education-num=range"]
        elif name != "seed":
            flags.append(f"--{name}={value}")
    arguments = {"seed": 3, **arguments}
    theirs = command("anonymize", path, "-o", tmp_path / "release.csv", *flags, f"--seed={arguments['seed']}")
    ours = amidst.anonymize(frame, quasi=QUASI, identifier="fnlwgt", **arguments)
    pd.testing.assert_frame_equal(ours.table.astype(str), cells(tmp_path / "release.csv"))
    for name, part in ours.parts.items():
        pd.testing.assert_frame_equal(part.astype(str), cells(tmp_path / f"release.{name}.csv"))
    for figure in ("achieved", "class_sizes", "loss", "classes"):
        assert ours.report()[figure] == theirs[figure]
    plans = [ours.plan, amidst.Plan.load(tmp_path / "release.plan.toml")]
    keys = {plan["method"].pop("fingerprint_key") for plan in plans}
    assert plans[0] == plans[1] and len(keys) == 2


def test_a_plan_file_and_a_plan(adult, tmp_path):
    frame, path = adult
    theirs = command("anonymize", path, "-o", tmp_path / "release.csv", "--plan", ADULT / "plan.toml", "--k", "4", "--seed", "3")
    plan = amidst.Plan.load(ADULT / "plan.toml")
    for given in (ADULT / "plan.toml", plan, dict(plan)):
        ours = amidst.anonymize(frame, plan=given, k=4, seed=3)
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
    assert ours == theirs
    assert ours["method"]["order"] == "shuffle"
    remarks = [line.split("#", 1)[1].strip() for line in (tmp_path / "plan.toml").read_text().splitlines() if " # " in line]
    assert [*ours.reasons.values()] == [r for r in remarks if r in ours.reasons.values()]


def test_audit_measure_attack(adult, tmp_path):
    frame, path = adult
    flags = [f"--quasi={','.join(QUASI)}", "--sensitive=occupation", "--identifier=fnlwgt"]
    command("anonymize", path, "-o", tmp_path / "release.csv", *flags, "--k=5", "--l=2", "--seed=0x10")
    ours = amidst.anonymize(frame, quasi=QUASI, sensitive="occupation", identifier="fnlwgt", k=5, l=2, seed="0x10")
    planned = ["--plan", tmp_path / "release.plan.toml"]
    assert amidst.audit(ours, original=frame) == command(
        "audit", tmp_path / "release.csv", *planned, "--original", path
    )
    assert amidst.audit(ours.table, QUASI, sensitive="occupation", identifier="fnlwgt", k=6) == command(
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
    theirs = command("bound", path, "--quasi=age,sex,race", "--k=5", "--time=full")
    ours = amidst.bound(frame, columns, k=5, time="full")
    assert ours["bound"] == theirs["bound"]
    assert ours["bound"]["complete"] and ours["limit_seconds"] is None


def test_a_proof_has_as_much_time_as_it_is_given(people):
    def certificate(certify):
        release = amidst.anonymize(people, ["age", "sex"], others="drop", k=3, seed=1, certify=certify)
        return release.report().get("certificate"), release.table

    none, table = certificate(False)
    assert none is None
    for certify, limit in ((0, 0), ("0s", 0), (2.5, 2.5), ("1m", 60), ("full", None)):
        proven, same = certificate(certify)
        assert proven["limit_seconds"] == limit
        assert proven["bound"]["loss"] <= proven["loss"] + 1e-9
        assert same.equals(table)
    assert certificate(True)[0]["limit_seconds"] >= 1
    with pytest.raises(amidst.UsageError, match="is no time for a proof"):
        certificate("long")
    with pytest.raises(amidst.UsageError, match="certify must be 0 seconds or more"):
        certificate(-1)
    assert amidst.bound(people, ["age", "sex"], k=3, time=5)["limit_seconds"] == 5


def test_reports(adult, tmp_path):
    frame, _ = adult
    files = [tmp_path / name for name in ("report.html", "report.json", "report.txt")]
    release = amidst.anonymize(frame, ["age", "sex"], sensitive="occupation", identifier="fnlwgt", k=5, report=files)
    page, form, text = (file.read_text() for file in files)
    assert json.loads(form) == release.report()
    assert page.count("<svg") >= 10 and "required and reached" in text
    # A frame is no file: there is nothing to take a fingerprint of, and no command makes it again.
    assert release.report()["details"]["files"] == [] and "again" not in release.report()["details"]
    amidst.compare(frame, ["age", "sex"], k=[5, 20], algorithms="mondrian", report=tmp_path / "trade.html")
    assert "<svg" in (tmp_path / "trade.html").read_text()
    with pytest.raises(amidst.UsageError, match="is not a page: its name must end in .html"):
        amidst.compare(frame, ["age"], k=5, algorithms="mondrian", report=tmp_path / "trade.pdf")


def test_what_recipients_get_has_no_seed(adult, tmp_path):
    frame, path = adult
    files = [tmp_path / name for name in ("public.html", "public.json", "public.txt")]
    releases = [amidst.anonymize(frame, ["age", "sex"], sensitive="occupation", identifier="fnlwgt", k=5) for _ in range(2)]
    seeds = [str(release.plan["method"]["seed"]) for release in releases]
    assert seeds[0] != seeds[1]
    # The plan makes the same again, and keeps its seed.
    again = amidst.anonymize(frame, plan=releases[0].plan, public_report=files)
    pd.testing.assert_frame_equal(again.table, releases[0].table)
    assert again.plan == releases[0].plan
    for file in files:
        text = file.read_text()
        assert "or recipients" in text and "ot for recipients" not in text
        assert seeds[0] not in text and again.plan["method"]["fingerprint_key"] not in text
    assert json.loads(files[1].read_text())["achieved"] == again.report()["achieved"]
    for shown in (repr(again), again._repr_html_(), str(again), json.dumps(again.dictionary)):
        assert seeds[0] not in shown
    assert amidst.anonymize(frame, ["age", "sex"], identifier="fnlwgt", k=5, seed=2**64 - 1).plan["method"]["seed"] == "0xffffffffffffffff"


def test_a_column_that_the_plan_does_not_name_fails(adult):
    frame, _ = adult
    release = amidst.anonymize(frame, ["age", "sex"], identifier="fnlwgt", k=5)
    wider = release.table.assign(ssn=range(len(frame)))
    found = amidst.audit(wider, plan=release.plan)
    assert not found.passed and "`ssn`" in found["failures"][0]
    missing = amidst.audit(release.table.drop(columns=["sex"]), plan=release.plan)
    assert not missing.passed and "lacks the column `sex`" in missing["failures"][0]
    assert "ssn" in amidst.audit(wider, ["age", "sex"])["unnamed"]


def test_risk(adult, tmp_path):
    frame, path = adult
    assert amidst.risk(frame, ["age", "sex", "race"], sample=0.1) == command(
        "risk", path, "--quasi=age,sex,race", "--sample=0.1"
    )
    command("anonymize", path, "-o", tmp_path / "release.csv", "--quasi=age,sex", "--identifier=fnlwgt", "--k=5", "--seed=3")
    ours = amidst.anonymize(frame, quasi=["age", "sex"], identifier="fnlwgt", k=5, seed=3)
    assert amidst.risk(ours) == command(
        "risk", tmp_path / "release.csv", "--plan", tmp_path / "release.plan.toml"
    )


@pytest.mark.parametrize("name", ["partitioners", "measures", "constraints", "publishers", "refiners", "attacks", "hierarchies"])
def test_lists(name):
    assert getattr(amidst, f"list_{name}")() == command("list", name)


def test_coded_numbers_and_built_in_trees(tmp_path):
    frame = pd.DataFrame({
        "age": [20, 20, 95, 120] * 3,
        "pay": [1440, 1449, 1460, 1520] * 3,
        "born": pd.to_datetime(["1920-05-01", "1925-01-01", "1980-02-03", "1980-02-03"] * 3),
        "icd": ["I21.0", "I22", "E11.9", "E11.9"] * 3,
        "age2": [91, 95, 40, 40] * 3,
    })
    release = amidst.anonymize(
        frame, quasi=list(frame.columns), k=3, keep_order=True, seed=1, top={"age": 90}, bottom={"born": datetime.date(1930, 12, 31)},
        round={"pay": np.int64(100)}, hierarchy={"icd": "icd10", "age2": "age-bands"},
    )
    assert list(release.table["age"][:4]) == ["20", "20", ">=90", ">=90"]
    assert list(release.table["pay"][:4]) == ["1400", "1400", "1500", "1500"]
    assert list(release.table["born"][:2]) == ["<=1930-12-31", "<=1930-12-31"]
    assert set(release.table["age2"][:4]) == {"90+", "40"}
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    flags = ["--top=age=90", "--bottom=born=1930-12-31", "--round=pay=100", "--hierarchy=icd=icd10", "--hierarchy=age2=age-bands"]
    command(
        "anonymize", path, "-o", tmp_path / "r.csv", "--quasi=" + ",".join(frame.columns), "--k=3", "--keep-order", "--seed=1", *flags
    )
    assert list(pd.read_csv(tmp_path / "r.csv", dtype=str)["age"]) == list(release.table["age"])
    assert amidst.audit(release, original=frame)["covers_original"]
    binned = amidst.anonymize(frame, quasi=["pay"], others="drop", k=3, keep_order=True, seed=1, bins={"pay": [1445, 1500]})
    assert list(binned.table["pay"][:4]) == ["<1445", "[1445-1499]", "[1445-1499]", ">=1500"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_numbers_of_sensitive_and_other_columns_are_coded(kind):
    frame = pd.DataFrame({"age": [20, 20, 60, 60], "pay": [210_000, 45_400, 30_000, 987_654], "hours": [1.5, 20.0, 39.5, 80.0]})
    given = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame), "pyarrow": lambda: pa.Table.from_pandas(frame)}[kind]()
    release = amidst.anonymize(
        given, quasi="age", sensitive="pay", publish_as_is="hours", k=2, keep_order=True, seed=1,
        top={"pay": 200_000}, round={"pay": 1000}, bins={"hours": [20, 40]},
    )
    table = release.table.to_pydict() if kind == "pyarrow" else {name: list(release.table[name]) for name in ("pay", "hours")}
    assert table["pay"] == [">=200000", "45000", "30000", ">=200000"]
    assert table["hours"] == ["<20", "[20, 40)", "[20, 40)", ">=40"]
    assert amidst.audit(release, original=given)["covers_original"]


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
            [AMIDST, "anonymize", path, "-o", tmp_path / "r.csv", "--identifier=fnlwgt", *flags], capture_output=True, text=True
        )
        with pytest.raises(amidst.AmidstError) as raised:
            amidst.anonymize(frame, identifier="fnlwgt", **arguments)
        said = done.stderr.strip().removeprefix("error: ").replace(str(path), "DataFrame")
        for role in ("quasi", "sensitive"):
            said = said.replace(f'--{role}, or role = "{role}" in the plan', f"{role}=[…]")
        assert str(raised.value) == said
        assert isinstance(raised.value, amidst.InfeasibleError if done.returncode == 1 else amidst.UsageError)
