import unittest

from fetcher.retry import GaveUp, retry


class RetryTest(unittest.TestCase):
    def test_success_needs_no_sleep(self):
        pauses = []
        self.assertEqual(retry(lambda: 7, sleep=pauses.append), 7)
        self.assertEqual(pauses, [])

    def test_gives_up(self):
        def fail():
            raise OSError("down")

        with self.assertRaises(GaveUp):
            retry(fail, sleep=lambda _: None)


if __name__ == "__main__":
    unittest.main()
