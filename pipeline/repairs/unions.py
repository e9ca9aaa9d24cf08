"""Memory on the stack that holds floats at times, and pointers or lengths at others, is two.

A `SmallVec` has its elements there, or a pointer to them and how many there are.  Enzyme knows one type of each place, and
finds two.  Nobody reads as the one what was written as the other, so each has memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import c_int
from dataclasses import dataclass, field
from math import gcd
from typing import NamedTuple

from pipeline.analyses.addresses import address, meet
from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.counting import converts_bits, counts_only, is_counted
from pipeline.analyses.debug_info import FLOAT_BITS, elements_moved
from pipeline.analyses.hidden import FLOAT_OF, OF_FLOAT
from pipeline.analyses.layout import words
from pipeline.analyses.uses import Uses
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.inline import CLEAN, inline_calls, lasting

_NEXT_TO_NOTHING = 1e-37
_ROUNDS = 3
"""How often what is called with the address is inlined, until its own calls are seen."""


def part(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Part such memory of the shims' functions, once what it is handed to is inlined; a line for each function."""
    done = []
    for function in list(call_tree(editor, shims)):
        if parted := _part(editor, function, shims):
            editor.run_passes(CLEAN, function)
            done.append(f"unions: {parted} in {editor.module.name(function)}")
    return done


def _part(editor: Editor, function: Value, shims: Sequence[Value]) -> int:
    """How many pieces of memory of a function were parted."""
    found = _both(editor, function)
    for _ in range(_ROUNDS):
        given = {callee for slot in found for callee in slot.given}
        if not given or not inline_calls(editor, [function], given - lasting(editor, call_tree(editor, shims))):
            break
        found = _both(editor, function)
    found = [slot for slot in found if not slot.given]
    while alone := [slot for slot in found if not slot.copied <= {other.memory for other in found}]:
        found = [slot for slot in found if slot not in alone]
    moved = {slot.memory: _again(editor, function, slot.memory) for slot in found}
    for slot in found:
        slot.part(editor, moved)
    return len(found)


def _both(editor: Editor, function: Value) -> list[_Slot]:
    return [slot for slot in _slots(editor, function) if slot.is_both(editor) and slot.is_read_as_written(editor)]


def _again(editor: Editor, function: Value, memory: Value) -> Value:
    """As much memory once more."""
    made = editor.stack_slot(function, editor.allocated_type(memory))
    editor.api.SetAlignment(made, editor.api.GetAlignment(memory))
    return made


@dataclass
class _Slot:
    """Memory on the stack, by what becomes of its address."""

    memory: Value
    variables: Variables
    has_bits: bool
    """Whether floats are made of integers, or integers of floats, bit by bit, in its function."""
    counted: dict[Value, None]
    """What is counted or chosen from the address, the address itself among it."""
    floats: list[Value] = field(default_factory=list)
    others: list[Value] = field(default_factory=list)
    """What reads or writes floats, and what integers or pointers."""
    both: list[Value] = field(default_factory=list)
    """What sets some of it to zero, or copies all of it from, or to, other memory on the stack."""
    given: list[Value] = field(default_factory=list)
    """The functions that are handed the address."""
    copied: set[Value] = field(default_factory=set)
    """The memory on the stack that all of it is copied from, or to."""

    def is_integer(self, editor: Editor, access: Value) -> bool:
        """Whether an access is to a place of it that has an integer whatever it holds, by debug info."""
        where = _place(editor, self, access)
        if where is None or where.step:
            return False
        return self.variables.is_integer(self.memory, where.begin, where.begin + where.size)

    def is_both(self, editor: Editor) -> bool:
        """Whether a place in it may hold a float, and another time something else."""
        floats, others = ([_place(editor, self, one) for one in accesses] for accesses in (self.floats, self.others))
        return any(_meet(one, other) for one in floats for other in others)

    def is_read_as_written(self, editor: Editor) -> bool:
        """Whether all that is stored is read as what it is: else a read of a float is of an integer, and only moves it.

        A zero may be either, and what others do with it is not known before they are inlined.
        """
        if self.copied or self.both or self.given:
            return True
        places = {access: _place(editor, self, access) for access in (*self.floats, *self.others)}
        stores = [one for one in self.others if editor.is_plain_store(one) and not editor.is_null(editor.operands(one)[0])]
        reads = [one for one in self.others if not editor.is_plain_store(one)]
        floats = [one for one in self.floats if not editor.is_plain_load(one)]
        pairs = [(one, reads) for one in stores] + [(one, floats) for one in self.floats if editor.is_plain_load(one)]
        return all(any(_meet(places[one], places[other]) for other in others) for one, others in pairs)

    def part(self, editor: Editor, moved: dict[Value, Value]) -> None:
        """Have what is no float read and written in other memory, as `moved` has it for each that is parted."""
        for access in self.others:
            if editor.is_plain_store(access) and not self.is_integer(editor, access):
                self._store_zero(editor, access)
            for operand in set(editor.operands(access)) & self.counted.keys():
                editor.give(access, operand, self._moved(editor, operand, moved))
        for fill in self.both:
            to, source, *_ = editor.module.arguments(fill)
            if source == self.memory:  # that is done where it is copied to
                continue
            with editor.module.before(fill) as builder:
                made = editor.copy(builder, fill)
            editor.give(made, to, self._moved(editor, to, moved))
            if source in moved:
                editor.give(made, source, moved[source])

    def _store_zero(self, editor: Editor, store: Value) -> None:
        """A zero may be a float's: that is stored, too."""
        value, pointer = editor.operands(store)
        if editor.is_null(value) and (bits := editor.integer_bits(editor.api.TypeOf(value))) in FLOAT_BITS.values():
            with editor.module.before(store) as builder:
                editor.store(builder, editor.api.ConstNull(editor.float_type(bits)), pointer)

    def _moved(self, editor: Editor, pointer: Value, moved: dict[Value, Value]) -> Value:
        """The same place in the other memory."""
        if pointer not in self.counted or pointer in moved:
            return moved.get(pointer, pointer)
        if editor.api.IsAPHINode(pointer):
            moved[pointer] = editor.phi(pointer, editor.pointer_type())
            values = [self._moved(editor, one, moved) for one in editor.chosen(pointer)]
            editor.add_incoming(moved[pointer], values, pointer)
            return moved[pointer]
        operands = {one: self._moved(editor, one, moved) for one in editor.operands(pointer)}
        with editor.module.before(pointer) as builder:
            moved[pointer] = editor.copy(builder, pointer)
        for one, other in operands.items():
            editor.give(moved[pointer], one, other)
        return moved[pointer]


class _Place(NamedTuple):
    """Where in the memory an access goes, and how many bytes it has; and so many bytes on, any number of times."""

    begin: int
    size: int
    step: int


def _place(editor: Editor, slot: _Slot, access: Value) -> _Place | None:
    """The place of an access; None where it may be any."""
    if editor.is_bulk_write(access):
        to, source, length, *_ = editor.module.arguments(access)
        pointer, size = to if to in slot.counted else source, editor.number(length)
    else:
        pointer, size = editor.operands(access)[-1], editor.size_of(editor.accessed_type(access))
    where = address(editor, pointer)
    return _Place(where.constant, size, gcd(*where.terms.values())) if where.base == slot.memory and size else None


def _meet(one: _Place | None, other: _Place | None) -> bool:
    if one is None or other is None:
        return True
    return meet(other.begin - one.begin, one.size, other.size, gcd(one.step, other.step))


def _slots(editor: Editor, function: Value) -> Iterator[_Slot]:
    """The memory on the stack of which it is known what each user does with it, and not, by debug info, what is where."""
    memories = list(filter(editor.api.IsAAllocaInst, editor.module.instructions(function)))
    if not memories:
        return
    variables = Variables(editor, function)
    has_bits = any(converts_bits(editor, one) for one in editor.module.instructions(function))
    for memory in memories:
        slot = _Slot(memory, variables, has_bits, {memory: None})
        is_known = variables.words(memory, 0, editor.size_of(editor.allocated_type(memory)))
        users = [] if is_known else list(_users(editor, slot))
        if users and all(_sorted(editor, slot, user, pointer) for user, pointer in users):
            yield slot


def _users(editor: Editor, slot: _Slot) -> Iterator[tuple[Value, Value]]:
    """What uses the address, or what is counted or chosen from it, each with that."""
    waiting = [slot.memory]
    while waiting:
        pointer = waiting.pop()
        for user in editor.module.users(pointer):
            is_chosen = editor.is_choice(user) and editor.api.TypeOf(user) == editor.pointer_type()
            if is_chosen or editor.api.IsAGetElementPtrInst(user):
                if user not in slot.counted:
                    slot.counted[user] = None
                    waiting.append(user)
            else:
                yield user, pointer


def _sorted(editor: Editor, slot: _Slot, user: Value, pointer: Value) -> bool:
    """Whether it is known what a user does with a pointer into the memory; it is then among those of its kind."""
    if editor.is_plain_load(user) or (editor.is_plain_store(user) and editor.operands(user)[0] != pointer):
        if editor.float_name(editor.accessed_type(user)):
            slot.floats.append(user)
            return not _may_be_integer(editor, user)
        slot.others.append(user)
        return _is_no_float(editor, slot, user)
    if editor.is_bulk_write(user):
        return _is_sorted_bulk(editor, slot, user)
    callee = editor.module.callee(user) if editor.module.is_call(user) else 0
    if callee and editor.module.is_defined(callee) and not editor.is_inactive(callee):
        slot.given.append(callee)
        return True
    return editor.is_lifetime(user) or editor.takes_number(user) or bool(editor.api.IsAICmpInst(user))


def _may_be_integer(editor: Editor, access: Value) -> bool:
    """Whether what is read or written as a float may be the bits of an integer, as where LLVM has one store for both."""
    if editor.is_plain_store(access):
        return any(_is_of_bits(editor, source) for source in editor.sources(editor.operands(access)[0]))
    for _, user in (uses := Uses(editor.module, [access])):
        if editor.float_behind(user) or editor.is_call_of(user, OF_FLOAT):
            return True
        if editor.is_choice(user):
            uses.follow([user])
    return False


def _is_of_bits(editor: Editor, number: Value) -> bool:
    """Whether a float is the bits of an integer, be it a constant: of small ones there are no others."""
    if editor.api.IsAConstantFP(number):
        return 0 < abs(float(editor.api.ConstRealGetDouble(number, c_int()))) < _NEXT_TO_NOTHING
    return editor.is_cast_to_float(number) or editor.is_call_of(number, FLOAT_OF)


def _is_no_float(editor: Editor, slot: _Slot, access: Value) -> bool:
    """Whether a pointer is read or written, or an integer that cannot be the bits of a float."""
    if editor.accessed_type(access) == editor.pointer_type():
        return True
    if not editor.integer_bits(editor.accessed_type(access)):
        return False
    if slot.is_integer(editor, access):
        return True
    if editor.is_plain_load(access):
        return _is_number(editor, slot, access)
    stored = editor.operands(access)[0]
    if editor.api.IsAConstant(stored):
        return not editor.could_be_float(stored)
    return is_counted(editor, stored, lambda load: _is_number(editor, slot, load))


def _is_number(editor: Editor, slot: _Slot, load: Value) -> bool:
    """Whether an integer that is read is a number, and not now a number and now a float: so LLVM moves values in pieces."""
    chosen, made = _made_of(editor, load)
    users = [(user, value) for value in (*chosen, *made) for user in editor.module.users(value)]
    stores = [user for user, _ in users if editor.is_plain_store(user)]
    is_used_up = all(
        user in chosen or user in made or user in stores or _takes_size(editor, user) or counts_only(editor, user)
        for user, _ in users
    )
    is_needed = any(_needs_number(editor, user, value) for user, value in users)
    moves = [store for store in stores if editor.operands(store)[0] in chosen and not slot.is_integer(editor, store)]
    return (
        is_used_up
        and all(is_needed and editor.operands(store)[1] in slot.counted for store in moves)
        and (is_needed or not slot.has_bits)
    )


def _made_of(editor: Editor, load: Value) -> tuple[dict[Value, None], dict[Value, None]]:
    """What may be what is read, itself among it; and what is computed of that."""
    chosen, made, waiting = {load: None}, dict[Value, None](), [load]
    while waiting:
        value = waiting.pop()
        for user in editor.module.users(value):
            if editor.is_integer_arithmetic(user) and user not in chosen and user not in made:
                (chosen if value in chosen and editor.is_choice(user) else made)[user] = None
                waiting.append(user)
    return chosen, made


def _needs_number(editor: Editor, user: Value, value: Value) -> bool:
    """Whether a value is an index, a number of bytes, or held against one that was counted."""
    if editor.api.IsAICmpInst(user):
        others = [one for one in editor.operands(user) if one != value]
        return any(is_counted(editor, one) and not editor.is_null(one) and not editor.could_be_float(one) for one in others)
    return bool(editor.api.IsAGetElementPtrInst(user)) or _takes_size(editor, user)


def _takes_size(editor: Editor, user: Value) -> bool:
    """Whether a call allocates, frees or copies, and takes a number of bytes; or ends the program, and says which number."""
    if not editor.module.is_call(user):
        return False
    callee = editor.module.callee(user)
    return editor.is_about_memory(callee) or editor.is_bulk_write(user) or editor.has_attribute(callee, "noreturn")


def _is_sorted_bulk(editor: Editor, slot: _Slot, call: Value) -> bool:
    """As `_sorted`, of a `memcpy`, a `memmove` or a `memset`."""
    if editor.is_call_of(call, "llvm.memset.") and editor.is_null(editor.module.arguments(call)[1]):
        slot.both.append(call)
        return True
    to, source, length, *_ = editor.module.arguments(call)
    others = {to, source} - {slot.memory}
    size = editor.size_of(editor.allocated_type(slot.memory))
    if len(others) == 1 and editor.number(length) == size and all(map(editor.api.IsAAllocaInst, others)):
        slot.both.append(call)
        slot.copied |= others
        return True
    element = elements_moved(editor.module, call)
    kinds = {word.kind for word in words(editor.module, element)} if element else set()
    if not kinds or not (kinds <= FLOAT_BITS.keys() or kinds.isdisjoint(FLOAT_BITS)):
        return False
    (slot.floats if kinds <= FLOAT_BITS.keys() else slot.others).append(call)
    return True
