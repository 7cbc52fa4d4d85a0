"""amidst publishes personal data so that every record hides among at least k - 1 others.

    >>> import amidst, pandas as pd
    >>> df = pd.DataFrame({"age": [34, 36, 51, 58], "town": ["Ulm", "Ulm", "Bonn", "Bonn"]})
    >>> release = amidst.anonymize(df, quasi=["age", "town"], k=2, keep_order=True)
    >>> release.table
           age  town
    0  [34-36]   Ulm
    1  [34-36]   Ulm
    2  [51-58]  Bonn
    3  [51-58]  Bonn

The functions are the commands of the command line: `init`, `anonymize`, `audit`, `explain`, `measure`, `risk`, `attack`, `compare`,
`bound` and the lists; `dry_run` is `amidst anonymize --dry-run`. They turn their arguments into a plan and pass it to the same library. Tables are data frames of pandas,
polars, pyarrow, duckdb or arro3, or paths of files. You get back the kind of frame that you passed. Rows are published in a secret
order, unless you keep it.
"""

from ._comparing import bound, compare
from ._errors import AmidstError, FileError, InfeasibleError, UnverifiedError, UsageError
from ._estimator import Anonymizer
from ._explaining import explain
from ._hierarchies import Hierarchy, dates, flat, levels, mask, widths
from ._judging import attack, audit, measure, risk
from ._lists import (
    list_attacks,
    list_constraints,
    list_hierarchies,
    list_measures,
    list_partitioners,
    list_publishers,
    list_refiners,
)
from ._making import anonymize, dry_run, guess_plan, init, make_key
from ._native import VERSION as __version__
from ._native import ArrowTable
from ._plan import Plan
from ._report import Release, Report

__all__ = [
    "AmidstError",
    "Anonymizer",
    "ArrowTable",
    "FileError",
    "Hierarchy",
    "InfeasibleError",
    "Plan",
    "Release",
    "Report",
    "UnverifiedError",
    "UsageError",
    "__version__",
    "anonymize",
    "attack",
    "audit",
    "bound",
    "compare",
    "dates",
    "dry_run",
    "explain",
    "flat",
    "guess_plan",
    "init",
    "levels",
    "list_attacks",
    "list_constraints",
    "list_hierarchies",
    "list_measures",
    "list_partitioners",
    "list_publishers",
    "list_refiners",
    "make_key",
    "mask",
    "measure",
    "risk",
    "widths",
]
