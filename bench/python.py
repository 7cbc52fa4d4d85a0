"""How long a frame takes in Python against a file on the command line, for the same plan; with quality beside it.

    python.py BINARY TABLE --quasi COLUMNS [--sensitive COLUMN] [--rows N] [--k K] [--runs R] [--options 'effort=fast']

BINARY is a release build of amidst, and the package is installed from a release wheel. TABLE is a CSV file, repeated to N rows.
The command line goes from a CSV file to a verified CSV file, Python from a pandas frame to a verified pandas frame; both keep
the order of the rows. Both are measured in turn, each in a process of its own, and the medians are compared.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def in_python(options):
    """What a process of its own does: prints the seconds, the loss, and the memory it took beyond the frame."""
    import pandas as pd

    import amidst

    frame = pd.read_csv(options["table"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    release = amidst.anonymize(frame, progress=False, **options["asked"])
    table = release.table
    seconds = time.perf_counter() - start
    assert len(table) == len(frame)
    report = release.report()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "stages": report["seconds"], "lm": report["loss"]["lm"], "k": report["achieved"]["k"],
                      "classes": report["classes"], "mib": peak / 1024, "frame_mib": before / 1024}))


def in_a_shell(binary, options, folder):
    asked = dict(options["asked"])
    flags = [f"--quasi={','.join(asked.pop('quasi'))}", "--keep-order", "--json", "--quiet"]
    flags += [f"--{name}={value}" for name, value in asked.items()]
    start = time.perf_counter()
    done = subprocess.run([binary, "anonymize", options["table"], "-o", folder / "release.csv", *flags],
                          capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    report = json.loads(done.stdout)
    return {"seconds": seconds, "stages": report["seconds"], "lm": report["loss"]["lm"], "k": report["achieved"]["k"],
            "classes": report["classes"], "mib": report["peak_memory_bytes"] / 2**20}


def main():
    if sys.argv[1] == "--child":
        return in_python(json.loads(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("table")
    parser.add_argument("--quasi", required=True)
    parser.add_argument("--sensitive")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--options", nargs="*", default=[], help="more arguments, as name=value")
    given = parser.parse_args()

    import pandas as pd

    asked = {"quasi": given.quasi.split(","), "k": given.k, "seed": 0}
    if given.sensitive:
        asked["sensitive"] = given.sensitive
    asked |= dict(option.split("=", 1) for option in given.options)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        part = pd.read_csv(given.table)
        times = -(-given.rows // len(part))
        table = folder / "table.csv"
        pd.concat([part] * times, ignore_index=True).head(given.rows).to_csv(table, index=False)
        del part
        options = {"table": str(table), "asked": asked}
        runs = {"command line": [], "python": []}
        for _ in range(given.runs):
            runs["command line"].append(in_a_shell(given.binary, options, folder))
            child = subprocess.run([sys.executable, __file__, "--child", json.dumps(options)],
                                   capture_output=True, text=True, check=True)
            runs["python"].append(json.loads(child.stdout))
    medians = {}
    for name, those in runs.items():
        medians[name] = statistics.median(run["seconds"] for run in those)
        run = min(those, key=lambda run: abs(run["seconds"] - medians[name]))
        stages = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in run["stages"].items())
        frame = f", {run['frame_mib']:.0f} of them before" if "frame_mib" in run else ""
        print(f"{name:>12}  {medians[name]:6.2f} s ({stages})  LM {run['lm']:.4f}  k {run['k']}  "
              f"{run['classes']} classes  {run['mib']:.0f} MiB{frame}")
    print(f"       ratio  {medians['python'] / medians['command line']:.2f}  ({given.rows} rows, {given.runs} runs)")


main()
