"""pycanon, which shares no code with amidst, judges releases made in Python. It lives in the venv of tests/pycanon."""

import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import amidst

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / "target/pycanon-venv/bin/python"
QUASI = ["age", "education-num", "race", "sex"]
JUDGE = """
import json, sys
import pandas as pd
from pycanon.anonymity import k_anonymity, l_diversity, t_closeness
table = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
quasi, sensitive = json.loads(sys.argv[2]), [sys.argv[3]]
print(json.dumps([int(k_anonymity(table, quasi)), int(l_diversity(table, quasi, sensitive)), float(t_closeness(table, quasi, sensitive))]))
"""


@pytest.mark.skipif(not PYTHON.is_file(), reason="tests/pycanon/run.sh has not been run")
@pytest.mark.parametrize("asked", [{"k": 25}, {"k": 25, "l": 3}, {"k": 25, "require": "t-closeness(t=0.3)"}])
def test_pycanon_agrees(tmp_path, asked):
    adult = pd.read_csv(ROOT / "data/adult/adult.csv.gz").head(3000)[[*QUASI, "occupation"]]
    release = amidst.anonymize(adult, quasi=QUASI, sensitive="occupation", **asked)
    release.table.to_csv(tmp_path / "release.csv", index=False)
    done = subprocess.run(
        [PYTHON, "-c", JUDGE, tmp_path / "release.csv", json.dumps(QUASI), "occupation"],
        capture_output=True, text=True, check=True,
    )
    k, distinct_l, t = json.loads(done.stdout)
    reached = release.report()["achieved"]
    assert (reached["k"], reached["sensitive"]["occupation"]["distinct_l"]) == (k, distinct_l)
    assert reached["sensitive"]["occupation"]["t"] == pytest.approx(t)
    assert k >= 25
