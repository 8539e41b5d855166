"""Tests of one part of the package."""
