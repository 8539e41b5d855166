"""Tests of the op tables: samples for every entry, checked against live torch and by finite differences."""
