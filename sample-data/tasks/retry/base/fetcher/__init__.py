"""Fetching documents, patiently."""
