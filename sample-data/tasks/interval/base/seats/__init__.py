"""Seat reservations."""
