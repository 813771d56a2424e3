"""Contracts for import-linter: pure modules stay pure, and no file imports itself through
others.
"""

import ast
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

ROOT = Path(__file__).parent.parent
ROOMS = {path.parent.name for path in ROOT.glob("*/apps.py")}
"""The packages of the product: every folder of the repository that is a Django app."""


class PureContract(Contract):
    """A module that makes the promise must not reach one of ``forbidden_modules``, directly or
    through others.
    """

    type_name = "pure"
    forbidden_modules: Any = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        promising = sorted(module for module in graph.modules if promises_purity(module))
        forbidden = sorted(self.forbidden_modules & graph.modules)
        chains = [
            chain
            for module in promising
            for imported in forbidden
            if (chain := graph.find_shortest_chain(importer=module, imported=imported))
        ]
        return ContractCheck(
            kept=bool(promising) and not chains, metadata={"chains": chains, "promising": promising}
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        if not check.metadata["promising"]:
            output.print_error(
                'No module says "No Django here": the contract has lost what it is about.'
            )
        for chain in check.metadata["chains"]:
            output.print_error(" -> ".join(chain))


class NoFileCirclesContract(Contract):
    """No module may reach itself, not even through an import inside a function or through a
    package's ``__init__``.
    """

    type_name = "no_file_circles"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        ways_back = (
            graph.find_shortest_chain(importer=imported, imported=module)
            for module in sorted(graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(module))
        )
        circles = [chain for chain in ways_back if chain]
        return ContractCheck(kept=not circles, metadata={"circles": circles})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for chain in check.metadata["circles"]:
            output.print_error(" -> ".join((*chain, chain[0])))


def promises_purity(module: str) -> bool:
    """Return whether the docstring of ``module``, found from the current folder, says "No Django
    here".
    """
    path = Path(*module.split("."))
    sources = [
        source for source in (path.with_suffix(".py"), path / "__init__.py") if source.is_file()
    ]
    return any(
        "No Django here" in (ast.get_docstring(ast.parse(source.read_text())) or "")
        for source in sources
    )
