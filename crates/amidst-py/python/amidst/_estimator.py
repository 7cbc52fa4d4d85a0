"""A transformer for pipelines in the style of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _frames, _native
from ._errors import UsageError
from ._functions import Names, PlanLike, _asked, _names, anonymize
from ._progress import Callback, watched

if TYPE_CHECKING:

    class _Base:
        """What scikit-learn brings, as far as it is used here."""

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
            """The same, as far as it goes, where scikit-learn is not installed."""

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


class Anonymizer(_Base):
    """Makes a release of the rows it is fitted to, and publishes new rows by the classes of that release.

    Parameters
    ----------
    quasi
        The quasi-identifiers; by default all columns that nothing else names.
    sensitive, identifier, k, l, require, kind, hierarchy, order, groups, plan, partitioner, effort, measure, seed, missing
        As for `anonymize`.
    new_rows
        How rows that come later are published. ``"alone"``: on their own, so they must reach k and all models by
        themselves, class by class. ``"joined"``: together with the release and in any order, as when they are never
        seen apart from it; then only both together must.
    progress
        As for `anonymize`.

    Attributes
    ----------
    release_
        The `Release` of the rows that it was fitted to.
    n_features_in_, feature_names_in_
        How many columns there were, and their names.

    Notes
    -----
    `transform` of the rows that it was fitted to is their release. Any other row gets the cells of a class that cover it,
    of several the one that leaves open least; that depends on nothing but its quasi-identifiers. A row that fits no
    class, or a result that does not reach what was asked for, is an `InfeasibleError`. What is published of the
    fitted rows holds all of them, so there is no suppression.

    Examples
    --------
    >>> from amidst import Anonymizer
    >>> known = people.drop(columns=["name", "disease"])
    >>> anonymizer = Anonymizer(quasi=["age", "zip", "sex"], k=6, new_rows="joined").fit(known)
    >>> anonymizer.transform(known.head(2).assign(age=35))["age"].tolist()
    ['[32-37]', '[32-37]']
    """

    def __init__(
        self,
        quasi: Names = None,
        *,
        sensitive: Names = None,
        identifier: Names = None,
        k: int = 10,
        l: float | None = None,  # noqa: E741
        require: Names = None,
        kind: Mapping[str, str] | None = None,
        hierarchy: Mapping[str, Any] | None = None,
        order: Mapping[str, Sequence[str]] | None = None,
        groups: Mapping[str, Any] | None = None,
        plan: PlanLike = None,
        partitioner: str | None = None,
        effort: str | None = None,
        measure: str | None = None,
        seed: int | str | None = None,
        missing: Names = None,
        new_rows: str = "alone",
        progress: Callback | bool | None = False,
    ) -> None:
        self.quasi = quasi
        self.sensitive = sensitive
        self.identifier = identifier
        self.k = k
        self.l = l
        self.require = require
        self.kind = kind
        self.hierarchy = hierarchy
        self.order = order
        self.groups = groups
        self.plan = plan
        self.partitioner = partitioner
        self.effort = effort
        self.measure = measure
        self.seed = seed
        self.missing = missing
        self.new_rows = new_rows
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Makes the release of these rows; `y` is not looked at."""
        table = self._table(X, first=True)
        quasi = self.quasi
        if quasi is None and self.plan is None:
            named = {*_names(self.sensitive), *_names(self.identifier)}
            quasi = [name for name in _column_names(table) if name not in named]
        self.release_ = anonymize(
            table,
            quasi=quasi,
            sensitive=self.sensitive,
            identifier=self.identifier,
            k=self.k,
            l=self.l,
            require=self.require,
            kind=self.kind,
            hierarchy=self.hierarchy,
            order=self.order,
            groups=self.groups,
            plan=self.plan,
            partitioner=self.partitioner,
            effort=self.effort,
            measure=self.measure,
            seed=self.seed,
            missing=self.missing,
            shuffle=False,
            suppress=0.0,
            progress=self.progress,
        )
        self._fitted = _native.fingerprint(_frames.arrow(table), _frames.name_of(table))
        return self

    def transform(self, X: Any) -> Any:
        """The rows as they may be published."""
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
                    _asked(None, self.release_.plan, {}),
                    alone=self.new_rows == "alone",
                    progress=callback,
                )
        result = _frames.like(_frames.template(table), published, self.release_.plan.roles())
        return result if table is X else _matrix(result)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Makes the release of these rows and gives it."""
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
        raise UsageError("say which columns are quasi-identifiers (quasi=[…])")
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
