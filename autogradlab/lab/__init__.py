"""The learner's side: the ``autogradlab`` command and the lessons it lays out. Nothing here needs the core."""
