import unittest

from seats.interval import covers, merge


class IntervalTest(unittest.TestCase):
    def test_apart(self):
        self.assertEqual(merge([(5, 6), (1, 2)]), [(1, 2), (5, 6)])

    def test_overlap(self):
        self.assertEqual(merge([(1, 4), (3, 8)]), [(1, 8)])

    def test_covers(self):
        self.assertTrue(covers([(1, 4)], 4))
