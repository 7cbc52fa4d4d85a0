"""A transformer for pipelines in the style of scikit-learn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from . import _frames, _native
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
    """A transformer that makes a release of the rows it is fitted to, and publishes new rows in the classes of that release.

    Parameters
    ----------
    quasi
        The quasi-identifiers. By default all columns that nothing else names.
    k
        At least k records share each combination of published quasi-identifiers.
    new_rows
        How later rows are published. ``"alone"``: on their own, so they must reach k and all privacy models among themselves,
        class by class. ``"joined"``: together with the release and in any order, as if they are never seen apart from it, so
        only both together must reach them.
    progress
        A function that is called with the stage, how much of it is done, and how much there is. True shows a bar, False
        nothing.

    Attributes
    ----------
    release_
        The `Release` of the rows that it was fitted to.
    n_features_in_, feature_names_in_
        How many columns there were, and their names.

    Notes
    -----
    `transform` of the rows that it was fitted to gives their release. Any other row gets the cells of a class that covers it.
    If several classes do, it gets the one with the narrowest cells. The choice depends only on the quasi-identifiers of the
    row. If a row fits no class, or if the result does not reach what was asked for, `transform` raises an `InfeasibleError`.
    Nothing is suppressed: the release has all rows that it was fitted to.

    Examples
    --------
    >>> from amidst import Anonymizer
    >>> known = people.drop(columns=["name", "disease"])
    >>> anonymizer = Anonymizer(quasi=["age", "zip", "sex"], k=6, new_rows="joined").fit(known)
    >>> anonymizer.transform(known.head(2).assign(age=35))["age"].tolist()
    ['[32-37]', '[32-37]']
    """

    quasi: Names
    sensitive: Names
    identifier: Names
    person: Names
    pseudonym: Names
    household: Names
    plan: PlanLike
    new_rows: str
    progress: Callback | bool | None

    def __init__(
        self,
        quasi: Names = None,
        *,
        k: int = 10,
        new_rows: str = "alone",
        progress: Callback | bool | None = False,
        **options: Unpack[AnonymizerOptions],
    ) -> None:
        check(Anonymizer, options)
        self.quasi = quasi
        self.k = k
        self.new_rows = new_rows
        self.progress = progress
        for name, hint in hints_of(AnonymizerOptions).items():
            setattr(self, name, options.get(name, default(hint)))

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Makes the release of these rows. `y` is ignored."""
        table = self._table(X, first=True)
        quasi = self.quasi
        if quasi is None and self.plan is None:
            own = (self.sensitive, self.identifier, self.person, self.pseudonym, self.household)
            named = {name for given in own for name in names(given)}
            quasi = [name for name in _column_names(table) if name not in named]
        options: dict[str, Any] = {name: getattr(self, name) for name in hints_of(AnonymizerOptions)}
        self.release_ = anonymize(
            table, quasi, k=self.k, suppress=0.0, shuffle=False, progress=self.progress, **options
        )
        self._fitted = _native.fingerprint(_frames.arrow(table), _frames.name_of(table))
        return self

    def transform(self, X: Any) -> Any:
        """These rows as they may be published."""
        if not hasattr(self, "release_"):
            raise _not_fitted(self)
        if self.new_rows not in ("alone", "joined"):
            raise UsageError(f"new_rows is {self.new_rows!r}; there are: 'alone', 'joined'")
        table = self._table(X, first=False)
        arrow, name = _frames.arrow(table), _frames.name_of(table)
        if _native.fingerprint(arrow, name) == self._fitted:
            published = self.release_.arrow[""]
        else:
            with watched(self.progress) as callback:
                published = _native.extend(
                    _frames.arrow(table),
                    name,
                    self.release_.arrow[""],
                    asked(Anonymizer, None, {}, self.release_.plan),
                    alone=self.new_rows == "alone",
                    threads=None,
                    progress=callback,
                )
        result = _frames.like(_frames.template(table), published, self.release_.plan.roles())
        return result if table is X else _matrix(result)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Makes the release of these rows and returns it."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that are published."""
        import numpy

        if not hasattr(self, "release_"):
            raise _not_fitted(self)
        return numpy.array(self.release_.arrow[""].column_names, dtype=object)

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
