"""A transformer for pipelines in the style of scikit-learn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from . import _frames, _native, _types
from ._asked import asked, names
from ._errors import UsageError
from ._making import anonymize
from ._options import AnonymizerOptions, Names, PlanLike, check, default, hints_of, takes
from ._progress import Callback, watched

if TYPE_CHECKING:
    from typing_extensions import Unpack

    class _Base:
        """The parts of scikit-learn's base class that are used here."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> _Base: ...
        def __sklearn_tags__(self) -> Any: ...

else:
    try:
        from sklearn.base import BaseEstimator, TransformerMixin

        class _Base(TransformerMixin, BaseEstimator):
            """An estimator of scikit-learn."""

    except ImportError:

        class _Base:
            """What an estimator needs where scikit-learn is not installed."""

            def get_params(self, deep=True):
                names = [name for name in inspect.signature(type(self)).parameters if name != "self"]
                return {name: getattr(self, name) for name in names}

            def set_params(self, **params):
                known = self.get_params()
                for name, value in params.items():
                    if name not in known:
                        raise ValueError(f"there is no parameter {name!r}; there are: {', '.join(known)}")
                    setattr(self, name, value)
                return self


@takes(AnonymizerOptions)
class Anonymizer(_Base):
    """A transformer for pipelines: it makes a release of the rows it is fitted to, and gives later rows the cells of its classes.

    Parameters
    ----------
    quasi
        The quasi-identifiers. By default all columns that nothing else names.
    k
        At least k records share each combination of published quasi-identifiers.
    unmatched
        What `transform` does with a row that no class covers. ``"nearest"``: the row gets the cells of the nearest class, the one whose
        cells would lose least more if they covered the row, too. These cells are not true to the row. ``"star"``: all its
        quasi-identifiers become ``*``, or missing where they are numbers. ``"error"``: an `InfeasibleError` counts such rows.
    new_rows
        What becomes of later rows. ``"modelling"``: a model learns from them or judges them, and they are not published. ``"alone"``: they are
        published on their own, so they must reach k and all privacy models among themselves, class by class. ``"joined"``: they are
        published together with the release and in any order, so only both together must reach them.
    progress
        A function that is called with the stage, how much of it is done, and how much there is. True shows a bar, False
        nothing.

    Attributes
    ----------
    release_
        The `Release` of the rows that it was fitted to, in a secret order. You may give away its table.
    n_features_in_, feature_names_in_
        How many columns there were, and their names.

    Notes
    -----
    **Order.** `fit_transform` and `transform` keep the order of the rows, and the index of a pandas frame, because `y` is aligned with
    them. So what they return is no release: the order of rows can identify people. To give a release away, take `release_`.

    **What is promised.** `release_` reaches k and all privacy models that were asked for, and it was verified. What `transform` makes of
    later rows is for modelling and is no release: a later row may be the only one of its class that came later, so nothing is promised
    to the people behind these rows, and they must not be published. Their other columns are unchanged. For the people behind the
    fitted rows, later rows change nothing: each result is computed from the release, the plan and the row alone. With
    ``new_rows="alone"`` or ``"joined"``, rows are published, so they are verified like a release, and rows that no class covers are
    refused or starred, never moved to the nearest class.

    **Which class.** A row gets the cells of a class that covers it, of several the one that loses least. How near a class is, is measured
    by the loss metric LM with the weights of the plan, by what the release shows of each column. A category that the release
    lacks, or a missing value beside known ones, is equally far from all classes but those with ``*``. Classes that are shown by a
    middle, mean, median or mode do not say what they cover, so a row gets the nearest.

    **Rows of the fit.** The rows that it was fitted to get their own row of the release. Rows that the release leaves out
    (`suppress`, `drop_missing`, ...) are treated like later rows, so that `y` fits. A pickle does not know which rows were fitted: after
    loading, they are looked up like any others.

    `publish`, `output`, `tables`, `certify`, `measures` and the reports of `anonymize` are missing here: rows can only join classes of
    generalized cells, and the rest belongs to `release_`.

    Examples
    --------
    >>> from amidst import Anonymizer
    >>> known = people.drop(columns=["name", "disease"])
    >>> anonymizer = Anonymizer(quasi=["age", "zip", "sex"], k=6).fit(known)
    >>> anonymizer.transform(known.head(2).assign(age=35))["age"].tolist()
    ['[32-37]', '[32-37]']
    >>> anonymizer.transform(known.head(1).assign(age=99))["age"].tolist()  # nobody was that old: the nearest class
    ['[32-37]']
    """

    quasi: Names
    plan: PlanLike
    unmatched: str
    new_rows: str
    progress: Callback | bool | None

    def __init__(
        self,
        quasi: Names = None,
        *,
        k: int = 10,
        unmatched: str = "nearest",
        new_rows: str = "modelling",
        progress: Callback | bool | None = False,
        **options: Unpack[AnonymizerOptions],
    ) -> None:
        check(Anonymizer, options)
        self.quasi = quasi
        self.k = k
        self.unmatched = unmatched
        self.new_rows = new_rows
        self.progress = progress
        for name, hint in hints_of(AnonymizerOptions).items():
            setattr(self, name, options.get(name, default(hint)))

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Makes the release of these rows. `y` is ignored."""
        _types.check({"unmatched": self.unmatched, "new_rows": self.new_rows}, {"unmatched": str, "new_rows": str})
        _one_of("unmatched", self.unmatched, ("nearest", "star", "error"))
        _one_of("new_rows", self.new_rows, ("modelling", "alone", "joined"))
        table = self._table(X, first=True)
        options: dict[str, Any] = {name: getattr(self, name) for name in hints_of(AnonymizerOptions)}
        quasi = self.quasi
        if quasi is None and self.plan is None:
            lists = [names(options[role]) for role in _OTHER_ROLES]
            named = {name for given in lists for name in given} | set(options["shift"] or {})
            quasi = [name for name in _column_names(table) if name not in named]
        self.release_ = anonymize(table, quasi, k=self.k, progress=self.progress, **options)
        self._fitted = _fingerprint(table)
        return self

    def transform(self, X: Any) -> Any:
        """Each row with the cells of a class of the release, in the order of the rows."""
        if not hasattr(self, "release_"):
            raise _not_fitted(self)
        table = self._table(X, first=False)
        own = self._own(table)
        release = self.release_.arrow[""]
        places = [place for place in own if place is not None]
        if places and len(places) == len(own):
            published = release.take(places)
        else:
            with watched(self.progress) as callback:
                published = _native.extend(
                    _frames.arrow(table),
                    _frames.name_of(table),
                    release,
                    asked(Anonymizer, None, {}, self.release_.plan),
                    purpose=self.new_rows,
                    unmatched=self.unmatched,
                    own=own,
                    threads=None,
                    progress=callback,
                )
        result = _frames.like(_frames.template(table), published, self.release_.plan._untouched())
        return _frames.with_index_of(table, result) if table is X else _matrix(result)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Makes the release of these rows and returns each row as it is in the release, in the order of the rows."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that are published. A column that is shown by its bounds is two."""
        import numpy

        if not hasattr(self, "release_"):
            raise _not_fitted(self)
        return numpy.array(self.release_.arrow[""].column_names, dtype=object)

    def _own(self, table: Any) -> list[int | None]:
        """For each row, the row of the release that is made of it, if these are the rows that were fitted."""
        if getattr(self, "_fitted", None) is None or _fingerprint(table) != self._fitted:
            return []
        rows = self.release_.rows
        own: list[int | None] = [None] * len(table if hasattr(table, "__len__") else rows)
        for place, row in enumerate(rows):
            own[row] = place
        return own

    def __getstate__(self) -> Any:
        inherited = getattr(super(), "__getstate__", None)
        state = dict(inherited() if inherited is not None else self.__dict__)
        state.pop("_fitted", None)  # it would let anybody test guesses of the original
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _table(self, X: Any, first: bool) -> Any:
        """A frame as it is; a matrix as a table whose columns are x0, x1, …"""
        if _frames.kind_of(X) != "arrow" or hasattr(X, "__arrow_c_stream__"):
            if not _frames.is_path(X):
                _validate(self, X, first, skip_check_array=True)
            return X
        import pyarrow

        matrix = _validate(self, X, first, dtype=None, ensure_all_finite="allow-nan")
        return pyarrow.table({f"x{place}": matrix[:, place] for place in range(matrix.shape[1])})


_OTHER_ROLES = ("sensitive", "identifier", "publish_as_is", "person", "household", "pseudonym", "study_day", "personal_k", "personal_l")


def _one_of(name: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise UsageError(f"{name} is {given!r}; there are: {', '.join(map(repr, known))}")


def _fingerprint(table: Any) -> str:
    return _native.fingerprint(_frames.arrow(table), _frames.name_of(table))


def _column_names(table: Any) -> list[str]:
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None:
        raise UsageError("name the quasi-identifiers (quasi=[…])")
    return list(names)


def _validate(estimator: Anonymizer, X: Any, first: bool, **how: Any) -> Any:
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        import numpy

        return X if "skip_check_array" in how else numpy.asarray(X)
    return validate_data(estimator, X, reset=first, **how)


def _not_fitted(estimator: Anonymizer) -> Exception:
    message = f"this {type(estimator).__name__} is not fitted yet; call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return UsageError(message)
    error: Exception = NotFittedError(message)
    return error


def _matrix(table: Any) -> Any:
    """A table as a matrix of objects."""
    import numpy

    return numpy.column_stack([numpy.asarray(column.to_pylist(), dtype=object) for column in table.columns])
