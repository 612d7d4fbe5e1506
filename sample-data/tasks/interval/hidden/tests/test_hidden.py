import unittest

from seats.interval import covers, merge, total


class HiddenIntervalTest(unittest.TestCase):
    def test_contained(self):
        self.assertEqual(merge([(1, 10), (2, 3)]), [(1, 10)])

    def test_touching(self):
        self.assertEqual(merge([(1, 2), (3, 4)]), [(1, 4)])

    def test_total_of_contained(self):
        self.assertEqual(total([(1, 10), (2, 3), (12, 12)]), 11)

    def test_empty(self):
        self.assertEqual(merge([]), [])

    def test_covers(self):
        self.assertFalse(covers([(1, 4), (6, 9)], 5))
