"""The tests, by layer; ``tests/conftest.py`` says what they may need."""
