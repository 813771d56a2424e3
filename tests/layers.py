"""The contract of pure modules for import-linter: what says "No Django here" in its docstring is held to it."""

import ast
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class PureContract(Contract):
    """A module that makes the promise must not reach one of ``forbidden_modules``, directly or through others."""

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
        return ContractCheck(kept=bool(promising) and not chains, metadata={"chains": chains, "promising": promising})

    def render_broken_contract(self, check: ContractCheck) -> None:
        if not check.metadata["promising"]:
            output.print_error('No module says "No Django here": the contract has lost what it is about.')
        for chain in check.metadata["chains"]:
            output.print_error(" -> ".join(chain))


def promises_purity(module: str) -> bool:
    """Return whether the docstring of ``module``, found from the current folder, says "No Django here"."""
    path = Path(*module.split("."))
    sources = [source for source in (path.with_suffix(".py"), path / "__init__.py") if source.is_file()]
    return any("No Django here" in (ast.get_docstring(ast.parse(source.read_text())) or "") for source in sources)
