"""What can go wrong. The messages are those of the command line."""


class AmidstError(Exception):
    """Whatever amidst refuses or cannot do."""


class UsageError(AmidstError, ValueError):
    """An argument, the plan, or the table is not as it should be."""


class FileError(AmidstError, OSError):
    """A file cannot be read or written."""


class InfeasibleError(AmidstError, ValueError):
    """The table is fine, but the privacy that was asked for cannot be had from it."""


class UnverifiedError(InfeasibleError):
    """The release did not pass its own check, so nothing was published."""
