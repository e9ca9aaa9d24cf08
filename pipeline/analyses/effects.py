"""What a function may write, and what it calls writes: whether a float, or a word of one, is left where others find it.

All that it may call is looked at: what it calls by name, the functions that it mentions, which somebody down there may call,
behind a `dyn` method whatever stands there in a vtable, and behind any other pointer every function that could be.
A function's own are its stack, memory that it allocated itself, and the place of its result, which is its caller's stack.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.analyses import foreign
from pipeline.analyses.call_tree import Kind, candidates, indirect_calls
from pipeline.analyses.debug_info import FLOAT_BITS, floats_reached, path, paths_around, signature_types, types_here, types_in
from pipeline.analyses.given import parameters_given
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_STD = {"core", "alloc", "std", "std_detect"}
"""The crates of the standard library."""
_TEXT = {"fmt"}, {"write_str", "write_char", "write_fmt"}
"""What `core::fmt` calls through pointers: by `Display` and the like, and by `Write`."""
_DIGITS = (["core", "fmt"], ["core", "num"])
"""Where std makes text of numbers."""
_SYSTEM = ["std", "sys"]
_PRINTS = [["std", "io", "stdio", name] for name in ("_print", "_eprint")]
PRINTS = "crategrad_prints"
"""The attribute of such a function that is left to the program: of what is only declared debug info says nothing."""
_OF_THE_SYSTEM = (_SYSTEM, ["std", "time"], ["core", "time"])
"""Where std deals with the operating system, and with its clocks."""
_WORD_BITS = min(bits for bits in FLOAT_BITS.values() if bits > 16)


@dataclass
class Effects:
    """What the functions of a module write; each is looked at once."""

    inspector: Inspector
    _written: dict[Value, bool] = field(default_factory=dict)
    _called: dict[Value, list[Value]] = field(default_factory=dict)
    _texts: list[Value] = field(default_factory=list)
    _by_type: dict[Value, list[Value]] = field(default_factory=dict)
    _callable_as: dict[Kind, list[Value]] = field(default_factory=dict)
    _from_parameters: dict[Value, dict[Value, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for function in self.inspector.module.functions():
            if _has_address(self.inspector, function):
                self._by_type.setdefault(self.inspector.function_type(function), []).append(function)
        addressed = (function for functions in self._by_type.values() for function in functions)
        names = _TEXT[0] | _TEXT[1]
        self._texts = [f for f in addressed if _base_name(self.inspector, f) in names]

    def gives_floats(self, function: Value) -> bool:
        """Whether floats come out of a function: by its result, or by what it or anything that it may call writes."""
        return self._returns_floats(function) or any(map(self._writes_floats, self.reached(function)))

    def texts_give_floats(self) -> bool:
        """Whether floats come out of anything that a value is made text by, a `Display` of the user's own among them."""
        return any(map(self.gives_floats, self._texts))

    def may_lead_to_floats(self, pointer: Value) -> bool:
        """Whether a float, or what could be one or lead to one, is read or written where a pointer leads, or it goes further.

        It may go to what is inactive, to functions that are looked at, and back to those who call the function that has it.
        """
        inspector = self.inspector
        for value, user in (uses := Uses(inspector.module, [pointer])):
            if inspector.api.IsAGetElementPtrInst(user) or inspector.is_choice(user):
                uses.follow([user])
            elif led_to := parameters_given(inspector, user, value) or self.returned_to(user):
                uses.follow(led_to)
            elif not (inspector.leaves_alone(user) or self._is_access_to_integers(user, value) or self._is_theirs(user)):
                return True
        return False

    def returned_to(self, user: Value) -> list[Value]:
        """The calls that give what an instruction returns; none if it is no return, or somebody else may call its function."""
        module = self.inspector.module
        function = module.parent(user) if self.inspector.api.IsAReturnInst(user) else 0
        users = module.users(function) if function else []
        return users if all(module.is_call(user) and module.callee(user) == function for user in users) else []

    def _is_access_to_integers(self, user: Value, pointer: Value) -> bool:
        inspector = self.inspector
        is_load, is_store = inspector.is_plain_load(user), inspector.is_plain_store(user)
        if not is_load and (not is_store or inspector.operands(user)[0] == pointer):
            return False
        is_integer = bool(inspector.integer_bits(inspector.accessed_type(user)))
        return is_integer and not _is_about_floats(inspector, user)

    def _is_theirs(self, user: Value) -> bool:
        """Whether a pointer goes to where no float is, and none comes from: a foreign function of integers, a copy of them."""
        inspector = self.inspector
        if not inspector.module.is_call(user):
            return False
        is_strangers = foreign.is_foreign(inspector, user) and foreign.hands_over_no_float(inspector, user)
        is_lifes_end = inspector.is_lifetime(user)
        return is_lifes_end or is_strangers or (inspector.is_bulk_write(user) and not _is_about_floats(inspector, user))

    def reached(self, *functions: Value) -> list[Value]:
        """The functions, and all that they may call.

        Of a vtable that a function is given, what its callers mention is called, where each of them gives it a constant.
        """
        found: dict[Value, None] = {}
        opened: set[Value] = set()
        waiting = list(functions)
        while waiting:
            one = waiting.pop()
            if one not in found:
                found[one] = None
                waiting += self._callees(one)
            if not waiting:
                unknown = [f for f in found if self._given(f) and (f in functions or not self._is_given_constants(f, found))]
                more = [f for f in unknown if f not in opened]
                opened.update(more)
                waiting += [method for f in more for call in self._given(f) for method in self._callable(call)]
        return list(found)

    def _callees(self, function: Value) -> list[Value]:
        """What a function mentions, or calls by a pointer; not what is called of a vtable that it is given."""
        if function not in self._called:
            inspector = self.inspector
            found = {callee: None for callee in inspector.functions_mentioned(function) if inspector.module.is_defined(callee)}
            for call in indirect_calls(inspector, function):
                if call not in self._given(function):
                    found |= dict.fromkeys(self._texts if self._is_about_text(function) else self._callable(call))
            self._called[function] = list(found)
        return self._called[function]

    def _given(self, function: Value) -> dict[Value, int]:
        """The calls of methods of a vtable that is a parameter, and the place of that among the parameters."""
        if function not in self._from_parameters:
            inspector = self.inspector
            parameters = {} if self._is_about_text(function) else _numbered(inspector.parameters(function))
            pointers = {call: inspector.module.callee(call) for call in indirect_calls(inspector, function)}
            methods = {call: pointer for call, pointer in pointers.items() if inspector.vtable_slot(pointer) is not None}
            tables = {call: inspector.slot(pointer)[0] for call, pointer in methods.items()}
            self._from_parameters[function] = {call: parameters[table] for call, table in tables.items() if table in parameters}
        return self._from_parameters[function]

    def _is_given_constants(self, function: Value, callers: Container[Value]) -> bool:
        """Whether each of the callers gives a function a constant for each vtable that it calls, and nobody else calls it."""
        module = self.inspector.module
        if _has_address(self.inspector, function):
            return False
        given = [module.arguments(user) for user in module.users(function) if module.parent(user) in callers]
        return all(self.inspector.api.IsAConstant(one[at]) for one in given for at in self._given(function).values())

    def _is_about_text(self, function: Value) -> bool:
        return path(self.inspector.module, self.inspector.module.subprogram(function))[:2] == ["core", "fmt"]

    def _callable(self, call: Value) -> list[Value]:
        """What a call of a pointer may call: a method, what stands at its place in a vtable; else, whatever has that type."""
        kind = self.inspector.called_type(call), self.inspector.vtable_slot(self.inspector.module.callee(call))
        if kind not in self._callable_as:
            of_type = self._by_type.get(kind[0], []) if kind[1] is None else candidates(self.inspector, kind)
            self._callable_as[kind] = [function for function in of_type if self.inspector.module.is_defined(function)]
        return self._callable_as[kind]

    def _returns_floats(self, function: Value) -> bool:
        inspector = self.inspector
        returned = inspector.leaves(inspector.return_type(inspector.function_type(function)))
        result = (signature_types(inspector.module, function) or [0])[0]
        is_known = bool(result) and bool(floats_reached(inspector.module, result))
        is_stored = any(self._is_in_result(function, store) for store in self._float_stores(function))
        return is_known or is_stored or any(map(inspector.float_name, returned))

    def _float_stores(self, function: Value) -> Iterator[Value]:
        for instruction in filter(self.inspector.api.IsAStoreInst, self.inspector.module.returning_instructions(function)):
            if self.inspector.float_name(self.inspector.accessed_type(instruction)):
                yield instruction

    def _is_in_result(self, function: Value, store: Value) -> bool:
        bases = self.inspector.bases(self.inspector.operands(store)[1])
        return self.inspector.returns_by_pointer(function) and self.inspector.parameters(function)[0] in bases

    def _writes_floats(self, function: Value) -> bool:
        """Whether a float, or a word that may be one or lead to one, is written to memory that is not the function's own."""
        if function not in self._written:
            is_users = not is_stds(self.inspector, function) and _knows_floats(self.inspector, function)
            instructions = self.inspector.module.returning_instructions(function)
            writes = (self._writes_float(function, instruction, is_users=is_users) for instruction in instructions)
            self._written[function] = not self._makes_text(function) and any(writes)
        return self._written[function]

    def _makes_text(self, function: Value) -> bool:
        """Whether a function is one of those by which std makes text of numbers: of a float they write digits, never itself."""
        return path(self.inspector.module, self.inspector.module.subprogram(function))[:2] in _DIGITS

    def _writes_float(self, function: Value, instruction: Value, *, is_users: bool) -> bool:
        inspector = self.inspector
        place, ty = self._written_by(instruction)
        if not place or all(self._is_own(function, base) for base in inspector.bases(place)):
            return False
        if ty and inspector.float_name(ty):
            return True
        if ty and inspector.integer_bits(ty) and inspector.integer_bits(ty) < _WORD_BITS:
            return False
        return is_users or _is_about_floats(inspector, instruction)

    def _written_by(self, instruction: Value) -> tuple[Value, Value]:
        """Where an instruction writes, and a value of what type; no type where it is many; nowhere if it does not."""
        inspector, api = self.inspector, self.inspector.api
        if api.IsAStoreInst(instruction):
            return inspector.operands(instruction)[1], inspector.accessed_type(instruction)
        if api.IsAAtomicRMWInst(instruction) or api.IsAAtomicCmpXchgInst(instruction):
            place, *_, value = inspector.operands(instruction)
            return place, int(api.TypeOf(value))
        return (inspector.module.arguments(instruction)[0], 0) if inspector.is_bulk_write(instruction) else (0, 0)

    def _is_own(self, function: Value, base: Value) -> bool:
        inspector = self.inspector
        if inspector.api.IsAAllocaInst(base):
            return True
        if inspector.module.is_call(base):
            return inspector.is_fresh_memory(base)
        return inspector.returns_by_pointer(function) and base == inspector.parameters(function)[0]


def _numbered(values: Sequence[Value]) -> dict[Value, int]:
    return {value: place for place, value in enumerate(values)}


def is_stds(inspector: Inspector, function: Value) -> bool:
    """Whether a function was written in the standard library."""
    return not _STD.isdisjoint(path(inspector.module, inspector.module.subprogram(function))[:1])


def asks_the_system(inspector: Inspector, function: Value) -> bool:
    """Whether a function is one of std's by which no float comes or goes, as what gives the random keys of a `HashMap`."""
    module, header = inspector.module, inspector.function_type(function)
    types = [*inspector.leaves(inspector.return_type(header)), *inspector.parameter_types(header)]
    is_of_integers = all(map(inspector.integer_bits, types))
    where = path(module, module.subprogram(function))
    return is_of_integers and where[:2] == _SYSTEM and not any("<" in part for part in where)  # made for whatever it calls


def prints(inspector: Inspector, function: Value) -> bool:
    """Whether a function is what is behind `println!` and `eprintln!`: it writes what it is handed where the user reads it."""
    is_one = path(inspector.module, inspector.module.subprogram(function)) in _PRINTS
    return is_one or inspector.has_text_attribute(function, PRINTS)


def _has_address(inspector: Inspector, function: Value) -> bool:
    """Whether a function is used otherwise than by being called, and by asking for its derivative."""
    module = inspector.module
    users = [user for user in module.users(function) if not inspector.asks_enzyme(user)]
    return any(
        not module.is_call(user) or module.callee(user) != function or function in module.arguments(user) for user in users
    )


def _base_name(inspector: Inspector, function: Value) -> str:
    subprogram = inspector.module.subprogram(function)
    return path(inspector.module, inspector.module.subprogram(function))[-1].partition("<")[0] if subprogram else ""


def _is_about_floats(inspector: Inspector, instruction: Value) -> bool:
    """Whether the function in which an instruction was written is about floats; not where debug info has no types of it.

    Of what std has for the operating system it has none: there are none.
    """
    innermost = next(paths_around(inspector.module, instruction), [])
    if innermost[:2] in _OF_THE_SYSTEM and innermost[2:3] != ["thread_local"]:
        return False
    return any(floats_reached(inspector.module, ty) for ty in types_here(inspector.module, instruction) if ty)


def _knows_floats(inspector: Inspector, function: Value) -> bool:
    """Whether a function, or anything inlined into it, is about floats."""
    return any(floats_reached(inspector.module, ty) for ty in types_in(inspector.module, function))
