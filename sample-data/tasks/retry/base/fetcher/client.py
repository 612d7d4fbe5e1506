"""A client that fetches documents over an unreliable transport."""

from fetcher.retry import retry


class Client:
    """Fetches documents; transient errors are retried."""

    def __init__(self, transport, attempts=3, sleep=None):
        self._transport = transport
        self._attempts = attempts
        self._sleep = sleep

    def get(self, name):
        """Return the document called `name`."""
        options = {"attempts": self._attempts}
        if self._sleep is not None:
            options["sleep"] = self._sleep
        return retry(lambda: self._transport(name), **options)
