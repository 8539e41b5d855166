"""Speed of autogradlab next to PyTorch, HIPS autograd and hand-written NumPy: ``python -m tests.benchmarks --help``.

``cases`` lists what is measured, ``harness`` how, ``imports`` times the import, ``stress`` looks at depth and memory.
To add a case, append one ``Case`` to a list in a ``cases_*`` file; the tests check its numbers from then on.
"""
