"""Everything that is measured; a new file of cases is added here."""

from __future__ import annotations

from .cases_families import FAMILIES
from .cases_graph import GRAPH
from .cases_memory import MEMORY
from .harness import Case

CASES: tuple[Case, ...] = (*GRAPH, *MEMORY, *FAMILIES)
