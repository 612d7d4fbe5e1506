import unittest

from fetcher.client import Client
from fetcher.retry import GaveUp, retry


def failing(*_):
    raise OSError("down")


class HiddenRetryTest(unittest.TestCase):
    def pauses(self, **options):
        seen = []
        with self.assertRaises(GaveUp):
            retry(failing, sleep=seen.append, **options)
        return seen

    def test_no_pause_after_last_attempt(self):
        self.assertEqual(self.pauses(attempts=3), [0.5, 1.0])

    def test_limit_holds(self):
        self.assertEqual(self.pauses(attempts=5, first=10.0, limit=30.0), [10.0, 20.0, 30.0, 30.0])

    def test_client_waits_between_attempts_only(self):
        seen = []
        with self.assertRaises(GaveUp):
            Client(failing, attempts=2, sleep=seen.append).get("a")
        self.assertEqual(seen, [0.5])

    def test_cause_is_kept(self):
        with self.assertRaises(GaveUp) as caught:
            retry(failing, sleep=lambda _: None)
        self.assertIsInstance(caught.exception.__cause__, OSError)

    def test_other_errors_pass(self):
        with self.assertRaises(ZeroDivisionError):
            retry(lambda: 1 / 0, sleep=lambda _: None)
