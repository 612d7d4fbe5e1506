"""Pages of a small site, addressed by slug."""

from textkit.slug import unique_slug


class PageIndex:
    """Remembers which slug belongs to which title."""

    def __init__(self):
        self._by_slug = {}

    def add(self, title):
        """Store `title` and return the slug it is reachable under."""
        slug = unique_slug(title, self._by_slug)
        self._by_slug[slug] = title
        return slug

    def title_of(self, slug):
        """Return the title stored under `slug`, or None."""
        return self._by_slug.get(slug)
