import unittest

from textkit.slug import slugify, unique_slug


class SlugTest(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slugify("Hello big World"), "hello-big-world")

    def test_punctuation_goes(self):
        self.assertEqual(slugify("What's new?"), "whats-new")

    def test_cut_keeps_length(self):
        self.assertEqual(slugify("abcdefgh", max_length=5), "abcde")

    def test_taken_slugs_are_numbered(self):
        self.assertEqual(unique_slug("News", {"news", "news-2"}), "news-3")


if __name__ == "__main__":
    unittest.main()
