"""What the words of a function can carry: a word of 64 bits is a `f64`, two `f32`, or no float at all.

Moved as the wrong one of them, an adjoint would be added to another as what it is not.  Debug info tells them apart by
the function in which the word is moved: the types a generic one was made for, or those of its header.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import FLOAT_BITS, elements_moved, floats_reached, shared_words, types_around, types_in
from pipeline.analyses.float_places import FloatPlaces
from pipeline.analyses.layout import INTEGER, kinds
from pipeline.analyses.moves import word_accessed, word_moved
from pipeline.analyses.variables import Variables, types_of_variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


class Words:
    """What the words in the functions that the shims call can carry."""

    def __init__(self, inspector: Inspector, shims: Sequence[Value]) -> None:
        self.inspector = inspector
        self._floats: dict[Value, frozenset[str]] = {}
        self._computed: dict[Value, set[str]] = {}
        self._trees: list[list[Value]] = []
        self._shared: dict[Value, frozenset[int]] = {}
        self._shared_by_variables: dict[Value, frozenset[int]] = {}
        self._variables: dict[Value, Variables] = {}
        self._places: dict[Value, FloatPlaces] = {}
        for shim in shims:
            functions = list(call_tree(inspector, [shim]))
            self._trees.append(functions)
            computed = {name for function in functions for name in inspector.float_types(function)}
            for function in functions:
                self._computed.setdefault(function, set()).update(computed)

    def floats(self, instruction: Value) -> frozenset[str] | None:
        """The float types of which a word that is moved here may be made; none: an integer; None: it is not known."""
        for types in types_around(self.inspector.module, instruction):
            found: frozenset[str] = frozenset().union(*(self._reached(ty) for ty in types))
            if len(found) == 1:
                return found
            if types and not found:
                continue
            break
        computed = self._computed.get(self.inspector.module.parent(instruction), set())
        return frozenset(computed) if len(computed) <= 1 else None

    def parts(self, instruction: Value, bits: int) -> int:
        """How many floats a word of so many bits, moved here, is; 0 where it is none, or where that is not known."""
        kind = word_moved(self.inspector, instruction, self._variables_of(instruction))
        # What moves bytes may move those of a float, of which nobody is seen to read them as one as yet.
        if kind and not (kind == INTEGER and self._places_around(instruction).is_float(instruction)):
            return bits // FLOAT_BITS[kind] if kind in FLOAT_BITS else 0
        if self._is_some_word(instruction):
            return 0
        floats = self.floats(instruction) or frozenset()
        widths = {FLOAT_BITS[name] for name in floats}
        return bits // widths.pop() if len(widths) == 1 else 0

    def _is_some_word(self, instruction: Value) -> bool:
        """Whether what is moved is a word of an element, nobody knows which, that has floats beside other things."""
        module = self.inspector.module
        return len(kinds(module, elements_moved(module, instruction))) > 1

    def kinds(self, accesses: Iterable[Value]) -> set[str]:
        """What the words are that are loaded or stored, as far as that is known."""
        return {word_accessed(self.inspector, access, self._variables_of(access)) for access in accesses} - {""}

    def are_shared(self, function: Value, bits: int) -> bool:
        """Whether a word of so many bits may be a float or a number: an enum has such a word, somewhere in the call tree."""
        if function not in self._shared:
            for tree in self._trees:
                types = {ty for one in tree for ty in types_in(self.inspector.module, one)}
                for one in tree:
                    self._shared[one] = self._shared.get(one, frozenset()) | self._widths_shared(types)
        return bits in self._shared.get(function, ())

    def are_shared_by_variables(self, function: Value, bits: int) -> bool:
        """Whether a variable of the function has such a word, or one of its types does, or of those that it calls."""
        if self.are_shared(function, bits):
            return True
        if function not in self._shared_by_variables:
            types = types_of_variables(self.inspector.module, function)
            self._shared_by_variables[function] = self._widths_shared(types)
        return bits in self._shared_by_variables[function]

    def _widths_shared(self, types: Iterable[Value]) -> frozenset[int]:
        return frozenset(width for ty in types for width in shared_words(self.inspector.module, ty))

    def may_be_float(self, access: Value) -> bool:
        """Whether a float may be where an access is (`FloatPlaces.may_be_float`)."""
        return self._places_around(access).may_be_float(access)

    def is_for_floats(self, load: Value) -> bool:
        """Whether there are floats alone where something is read (`FloatPlaces.is_for_floats`)."""
        return self._places_around(load).is_for_floats(load)

    def is_number(self, load: Value) -> bool:
        """Whether debug info says of a place that is read that there never is a float."""
        return self._places_around(load).is_number(load)

    def is_variable(self, load: Value) -> bool:
        """Whether debug info says that the place is a variable's, or part of one, and an integer of so many bits."""
        return self._variables_of(load).word(load) == INTEGER

    def _places_around(self, access: Value) -> FloatPlaces:
        function = self.inspector.module.parent(access)
        if function not in self._places:
            self._places[function] = FloatPlaces(self.inspector, function, self._variables_of(access))
        return self._places[function]

    def _variables_of(self, instruction: Value) -> Variables:
        function = self.inspector.module.parent(instruction)
        if function not in self._variables:
            self._variables[function] = Variables(self.inspector, function)
        return self._variables[function]

    def _reached(self, ty: Value) -> frozenset[str]:
        if ty not in self._floats:
            self._floats[ty] = floats_reached(self.inspector.module, ty)
        return self._floats[ty]
