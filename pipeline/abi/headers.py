"""What a module says of a function: its LLVM header, and by debug info its Rust one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.analyses import debug_info as di
from pipeline.analyses.variables import described, records
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector

_VARIABLE_SCOPE, _VARIABLE_NAME, _VARIABLE_TYPE = 0, 1, 3  # operands of DILocalVariable
_SCOPE, _SPACE_NAME = 1, 2  # operands of DINamespace, DILexicalBlock, DICompositeType and DISubprogram alike
_FILE, _LINKAGE_NAME, _RETAINED = 0, 3, 7  # operands of DISubprogram
_LOCATION = "&core::panic::location::Location"
_SUBPROGRAM = 0x2E  # DWARF's tag


@dataclass(frozen=True)
class Header:
    """The LLVM header of a function: the types of its parameters and its result (`void`: none), as LLVM writes them."""

    parameters: tuple[str, ...]
    result: str
    sret: bool = False
    """Whether the result is written through the first parameter."""
    names: Mapping[int, str] = field(default_factory=dict, compare=False)
    """Which Rust arguments debug info says that parameters are, by position."""

    def __str__(self) -> str:
        parameters = [f"{ty} sret" if self.sret and not at else ty for at, ty in enumerate(self.parameters)]
        return f"({', '.join(parameters)})" + ("" if self.result == "void" else f" -> {self.result}")


class Reader:
    """The functions of a module, read only."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.inspector = Inspector(module)
        self.api = module.api
        self._inlined_scopes: dict[Value, str] = {}

    @cached_property
    def functions(self) -> dict[str, Value]:
        """Those that have a body, by name."""
        module = self.module
        return {module.name(function): function for function in module.functions() if module.is_defined(function)}

    @cached_property
    def declarations(self) -> dict[str, Value]:
        """Those that have none, by name."""
        module = self.module
        return {module.name(function): function for function in module.functions() if not module.is_defined(function)}

    @cached_property
    def by_name(self) -> Mapping[str, list[Value]]:
        """Those with debug info by their Rust names, without path and generic arguments."""
        found: dict[str, list[Value]] = {}
        for function in self.functions.values():
            if subprogram := self.module.subprogram(function):
                found.setdefault(di.name(self.module, subprogram).partition("<")[0], []).append(function)
        return found

    def header(self, function: Value) -> Header:
        """The LLVM header."""
        ty = self.inspector.function_type(function)
        parameters = tuple(map(self.inspector.type_text, self.inspector.parameter_types(ty)))
        result = self.inspector.type_text(self.inspector.return_type(ty))
        sret = bool(parameters) and self.inspector.parameter_has_attribute(function, 0, "sret")
        return Header(parameters, result, sret, self._named_parameters(function))

    def path(self, function: Value) -> str:
        """The Rust name with its path; the name in the module where there is no debug info."""
        subprogram = self.module.subprogram(function)
        return "::".join(reversed(list(self._names(subprogram)))) if subprogram else self.module.name(function)

    def place(self, function: Value) -> str:
        """`file:line` where the function begins; empty where it is not known."""
        subprogram = self.module.subprogram(function)
        file = self.module.metadata_operands(subprogram)[_FILE] if subprogram else 0
        return f"{self.module.metadata_string(self.module.metadata_operands(file)[0])}:{self.line(function)}" if file else ""

    def line(self, function: Value) -> int:
        """The line where the function begins; 0 where it is not known."""
        subprogram = self.module.subprogram(function)
        return self.module.subprogram_line(subprogram) if subprogram else 0

    def signature(self, function: Value) -> tuple[Value, list[tuple[str, Value]]] | None:
        """The type of the result (0: there is none), and names and types of the arguments; None where nothing is known."""
        types = di.signature_types(self.module, function)
        if not types:
            return None
        result, *parameters = types
        names = iter(self._variables(self.module.subprogram(function)))
        named: list[tuple[str, Value]] = []
        known = next(names, None)
        for position, ty in enumerate(parameters):
            is_next = known is not None and known[1] == ty
            named.append(((known[0] if known and is_next else "") or self._unnamed(position, ty), ty))
            known = next(names, None) if is_next else known
        return result, named

    def _unnamed(self, position: int, ty: Value) -> str:
        """What an argument is called that is a pattern, or that rustc has added."""
        return "#[track_caller]" if di.type_name(self.module, ty) == _LOCATION else f"arg{position}"

    def inlined(self, functions: Iterable[Value]) -> set[str]:
        """The names in the module of what was inlined into these functions."""
        found: set[str] = set()
        for function in functions:
            locations = {self.api.InstructionGetDebugLoc(one) for one in self.module.instructions(function)}
            found |= {name for location in locations if location for name in self._inlined_at(location)}
        return found

    def _inlined_at(self, location: Value) -> Iterator[str]:
        while outer := self.api.DILocationGetInlinedAt(location):
            scope = int(self.api.DILocationGetScope(location))
            if scope not in self._inlined_scopes:
                self._inlined_scopes[scope] = self._linkage_name(self._node(scope))
            yield self._inlined_scopes[scope]
            location = outer

    def _linkage_name(self, scope: Value) -> str:
        while scope and self.module.metadata_tag(scope) != _SUBPROGRAM:
            scope = self.module.metadata_operands(scope)[_SCOPE]
        return self.module.metadata_string(self.module.metadata_operands(scope)[_LINKAGE_NAME]) if scope else ""

    def _names(self, scope: Value) -> Iterator[str]:
        while scope:
            operands = self.module.metadata_operands(scope)
            yield self.module.metadata_string(operands[_SPACE_NAME])
            scope = operands[_SCOPE]

    def _variables(self, subprogram: Value) -> Iterator[tuple[str, Value]]:
        """Names and types of the variables that belong to the function as a whole: its arguments come first."""
        operands = self.module.metadata_operands(subprogram)
        for variable in self.module.metadata_operands(operands[_RETAINED]) if operands[_RETAINED] else []:
            parts = self.module.metadata_operands(variable)
            if parts[_VARIABLE_SCOPE] == subprogram:
                yield self.module.metadata_string(parts[_VARIABLE_NAME]), parts[_VARIABLE_TYPE]

    def _named_parameters(self, function: Value) -> dict[int, str]:
        """Which parameters are values of which arguments: by their names in the module (`x.0.val`), else by debug info."""
        subprogram = self.module.subprogram(function)
        position = {value: index for index, value in enumerate(self.inspector.parameters(function))}
        named = {at: name.partition(".")[0] for value, at in position.items() if (name := self.module.name(value))}
        for instruction in self.module.instructions(function) if subprogram else []:
            for record in records(self.module, instruction):
                value, variable = described(self.module, record)
                if value in position and variable[_VARIABLE_SCOPE] == subprogram:
                    named.setdefault(position[value], self.module.metadata_string(variable[_VARIABLE_NAME]))
        return named

    def _node(self, metadata: Value) -> Value:
        return int(self.api.MetadataAsValue(self.module.context, metadata))
