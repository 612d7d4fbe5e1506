"""Closed intervals of whole numbers, such as reserved seats or port ranges."""


def merge(intervals):
    """Return the intervals joined where they overlap or touch, sorted by start.

    `intervals` holds (first, last) pairs with first <= last.
    """
    merged = []
    for first, last in sorted(intervals):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged


def covers(intervals, number):
    """Whether `number` lies in any of the intervals."""
    return any(first <= number <= last for first, last in intervals)


def total(intervals):
    """How many whole numbers the intervals cover; overlaps count once."""
    return sum(last - first + 1 for first, last in merge(intervals))
