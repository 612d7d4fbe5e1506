"""Readable URL parts from arbitrary titles."""

import re

_SEPARATORS = re.compile(r"[\s_/]+")
_UNSAFE = re.compile(r"[^a-z0-9-]")


def slugify(title, max_length=None):
    """Return a lower-case, dash-separated form of `title`.

    `max_length` cuts the result; None keeps all of it.
    """
    text = title.strip().lower()
    text = _SEPARATORS.sub("-", text)
    text = _UNSAFE.sub("", text)
    if max_length is not None:
        text = text[:max_length]
    return text


def unique_slug(title, taken, max_length=None):
    """Return a slug for `title` that is not in `taken`, numbering it when needed."""
    slug = slugify(title, max_length)
    candidate = slug
    number = 2
    while candidate in taken:
        candidate = f"{slug}-{number}"
        number += 1
    return candidate
