"""The notebook and the Python blocks of the documentation run."""

import re
from pathlib import Path

import nbclient
import nbformat
import pandas as pd
import pytest

ROOT = Path(__file__).parents[3]


def test_the_notebook_ends_with_a_plot():
    notebook = nbformat.read(ROOT / "examples/quickstart.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": ROOT}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("a verified release" in output.get("data", {}).get("text/html", "") for output in outputs)
    assert "image/png" in notebook.cells[-1].outputs[-1]["data"]


def test_the_blocks_of_the_documentation(monkeypatch, tmp_path):
    text = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) > 4
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    # A part of the table will do.
    whole = pd.read_csv
    monkeypatch.setattr(pd, "read_csv", lambda *args: whole(*args).head(1500))
    scope = {}
    for block in blocks:
        if "rich" in block and not _has_rich():
            continue
        exec(compile(block, "docs/python.md", "exec"), scope)


def _has_rich():
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("file", ["README.md", "crates/amidst-py/README.md"])
def test_the_three_lines_of_the_readme(people, file):
    block = re.search(r"```python\n(.*?)```", (ROOT / file).read_text(), flags=re.DOTALL)
    if block is None:
        pytest.skip("no Python there")
    scope = {"df": pd.concat([people] * 4)}
    exec(compile(block.group(1), file, "exec"), scope)
    assert scope["release"].report()["achieved"]["k"] >= 10
