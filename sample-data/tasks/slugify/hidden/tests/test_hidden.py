import unittest

from textkit.pages import PageIndex
from textkit.slug import slugify


class HiddenSlugTest(unittest.TestCase):
    def test_accents_are_folded(self):
        self.assertEqual(slugify("Crème brûlée"), "creme-brulee")

    def test_no_double_dash(self):
        self.assertEqual(slugify("Rock & Roll"), "rock-roll")

    def test_no_dash_after_cut(self):
        self.assertEqual(slugify("one two", max_length=4), "one")

    def test_plain_title(self):
        self.assertEqual(slugify("Hello big World"), "hello-big-world")

    def test_pages_are_numbered(self):
        index = PageIndex()
        self.assertEqual(index.add("Café"), index.add("Café").removesuffix("-2"))
