"""What can go wrong. The messages are those of the command line, with arguments instead of flags."""


class AmidstError(Exception):
    """The base class of all errors of amidst."""


class UsageError(AmidstError, ValueError):
    """An argument, the plan or the table is wrong."""


class FileError(AmidstError, OSError):
    """A file cannot be read or written."""


class InfeasibleError(AmidstError, ValueError):
    """The table cannot reach the privacy that was asked for."""


class UnverifiedError(InfeasibleError):
    """The release did not pass verification, so nothing was published."""
