"""Retrying a call with growing pauses."""

import time


class GaveUp(Exception):
    """Raised when every attempt failed; `__cause__` is the last error."""


def delays(attempts, first=0.5, factor=2.0, limit=30.0):
    """Yield the pause before each further attempt, in seconds."""
    pause = first
    for _ in range(attempts):
        yield pause
        pause = pause * factor


def retry(call, attempts=3, retry_on=(OSError,), sleep=time.sleep, **timing):
    """Call `call()` up to `attempts` times and return its result.

    Errors not in `retry_on` are passed on at once.
    """
    error = None
    for pause in delays(attempts, **timing):
        try:
            return call()
        except retry_on as caught:
            error = caught
            sleep(pause)
    raise GaveUp(f"no success in {attempts} attempts") from error
