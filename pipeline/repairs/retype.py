"""Integers that carry floats are moved as those floats.

`x[i] = x[j]` and an aggregate handed on come as `load i64` and `store i64`, a payload that is a float in one arm only as a
`phi i32` of `bitcast float`: Enzyme takes what they carry for an integer that has no derivative, silently.  As floats they
are followed; an integer that is moved as a float arrives unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.counting import counts_only, is_counted, is_users_conversion
from pipeline.analyses.debug_info import FLOAT_BITS
from pipeline.analyses.hidden import OF_FLOAT, is_of
from pipeline.analyses.moved_words import may_be_another_variants
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Slot
from pipeline.repairs import opaque
from pipeline.repairs.words import Words

_WIDTHS = set(FLOAT_BITS.values())


def retype(editor: Editor, function: Value, words: Words) -> bool:
    """Retype what is moved in a function; True where there was something.

    What has become a float says of what else lies in its place that it is one, at times: so as long as there is something.
    """
    done = False
    while _retype_once(editor, function, words):
        done = True
    return done


def _retype_once(editor: Editor, function: Value, words: Words) -> bool:
    known: set[Value] = set()
    done = False
    instructions = list(editor.module.instructions(function))
    floats = _float_slots(editor, instructions)
    for instruction in instructions:
        if instruction in known or not _is_seed(editor, instruction, floats, words):
            continue
        web = _Web(editor, instruction, floats, words)
        known |= web.instructions
        is_float = web.is_float_at_times or (web.is_constant and words.are_shared(function, web.bits))
        parts = 1 if is_float else _parts(editor, web, words)
        if parts:
            _Move(editor, web, parts).make()
            done = True
    return done


def variables(editor: Editor, function: Value) -> None:
    """Have variables on the stack be of the float type that they are read and written as.

    Of one whose address is chosen, and is kept in memory so, SROA makes words of the type that the variable has.
    """
    slots = [one for one in editor.module.instructions(function) if editor.api.IsAAllocaInst(one) and _is_single(editor, one)]
    for slot in slots:
        users = editor.module.users(slot)
        accesses = [user for user in users if editor.is_plain_load(user) or editor.is_plain_store(user)]
        types = {editor.accessed_type(access) for access in accesses if editor.operands(access)[-1] == slot}
        ty = types.pop() if len(types) == 1 else 0
        given = editor.allocated_type(slot)
        if ty and editor.float_name(ty) and given != ty and editor.size_of(given) == editor.size_of(ty):
            made = editor.stack_slot(function, ty)
            editor.api.SetAlignment(made, editor.api.GetAlignment(slot))
            editor.replace(slot, made)


def _is_single(editor: Editor, slot: Value) -> bool:
    return editor.number(editor.operands(slot)[0]) == 1


def _parts(editor: Editor, web: _Web, words: Words) -> int:
    """How many floats each word of the web is; 0: it is no float, or it is not known.

    A float that is also compared by its bits, as `total_cmp` does, could be an integer by them alone.
    """
    loads = [value for value in web.values if editor.is_plain_load(value)]
    if web.is_constant:
        known = {words.parts(store, web.bits) for store in web.stores if words.may_be_float(store)}
        return known.pop() if len(known) == 1 else 0
    if not web.is_moved:
        is_either = web.is_moved_or_counted and words.are_shared(editor.module.parent(web.stores[0]), web.bits)
        return int(is_either and {words.parts(load, web.bits) for load in loads} == {1})
    if web.others:
        if not all(counts_only(editor, user) for user in web.others):
            return 0
        kinds = words.kinds((*loads, *web.stores))
        is_float = [FLOAT_BITS.get(kind) for kind in kinds] == [web.bits]
        return int(is_float or (not kinds and any(may_be_another_variants(editor, load) for load in loads)))
    seen = {parts for access in (*loads, *web.stores) for parts in _parts_beside(editor.slot(access), web.floats)}
    counts = seen or {words.parts(load, web.bits) for load in loads}
    return counts.pop() if len(counts) == 1 else 0


def _parts_beside(slot: Slot, floats: set[Slot]) -> Iterator[int]:
    """How many floats lie in a place, by those that are read or written in the same place singly."""
    base, begin, bits = slot
    for width in sorted(_WIDTHS):
        if any((base, begin + offset, width) in floats for offset in range(0, bits // 8, width // 8)) and width < bits:
            yield bits // width


def _float_slots(editor: Editor, instructions: list[Value]) -> set[Slot]:
    """The places that are read or written as floats.

    The payload of an enum is one: a float in one arm, an integer in another; to Enzyme it must be one of them.
    """
    accesses = [i for i in instructions if editor.is_plain_load(i) or editor.is_plain_store(i)]
    return {editor.slot(access) for access in accesses if editor.float_name(editor.accessed_type(access))}


def _is_seed(editor: Editor, instruction: Value, floats: set[Slot], words: Words) -> bool:
    """Whether a web may begin here: at a node, or at an integer that is stored where a float is or that could be one."""
    if _is_node(editor, instruction, words):
        return True
    if not editor.is_plain_store(instruction) or not _is_word(editor, instruction):
        return False
    return editor.slot(instruction) in floats or editor.could_be_float(editor.api.GetOperand(instruction, 0))


def _is_word(editor: Editor, access: Value) -> bool:
    return editor.integer_bits(editor.accessed_type(access)) in _WIDTHS


def _is_node(editor: Editor, value: Value, words: Words) -> bool:
    """Whether a value is an integer that is loaded, chosen by a phi or a select, or frozen, and not known to be a number."""
    if editor.integer_bits(editor.api.TypeOf(value)) not in _WIDTHS:
        return False
    if editor.is_plain_load(value):
        is_used_so = any(map(editor.computes_with, editor.module.users(value))) or words.is_variable(value)
        return not (is_used_so and words.is_number(value))
    return bool(editor.api.IsAFreezeInst(value)) or (editor.is_choice(value) and not _counts(editor, value))


def _origins(editor: Editor, value: Value) -> list[Value]:
    """What a node is chosen from, or frozen."""
    if editor.api.IsAFreezeInst(value):
        return editor.operands(value)
    return editor.chosen(value) if editor.is_choice(value) else []


def _counts(editor: Editor, choice: Value) -> bool:
    """Whether a phi or a select is a number, as one that counts a loop's runs is; constants alone could be floats."""
    return is_counted(editor, choice) and not all(map(editor.is_simple_constant, editor.sources(choice)))


class _Web:
    """Loads, the choices between them, and where they go."""

    def __init__(self, editor: Editor, seed: Value, floats: set[Slot], words: Words) -> None:
        self.editor = editor
        self.floats = floats
        self.words = words
        self.bits = editor.integer_bits(editor.accessed_type(seed))
        self.values: list[Value] = []
        self.stores: list[Value] = []
        self.casts: list[Value] = []
        """Bitcasts to a float."""
        self.others: list[Value] = []
        """What else uses a value of the web, as the integer that it is."""
        self.carries_float = False
        """Whether a value of the web comes from a float's bits, becomes a float, or lies where a float lies."""
        self.strangers: list[Value] = []
        """The values that are neither loaded nor chosen here, and no float's bits."""
        if editor.is_plain_store(seed):
            self.stores.append(seed)
            self.carries_float = editor.slot(seed) in floats
            seed = editor.api.GetOperand(seed, 0)
            if not _is_node(editor, seed, words) and not editor.is_simple_constant(seed):
                self.strangers.append(seed)
        waiting = [seed] if _is_node(editor, seed, words) else []
        while waiting:
            value = waiting.pop()
            if value not in self.values:
                self.values.append(value)
                self.carries_float |= self._lies_with_floats(value)
                waiting += [*self._sources(value), *self._users(value)]

    @property
    def instructions(self) -> set[Value]:
        """All that goes when the web is made anew."""
        return {*self.values, *self.stores, *self.casts}

    @property
    def is_float_at_times(self) -> bool:
        """Whether what is known of some of its ends is a float, and the others are surely numbers."""
        return self.carries_float and self._are_numbers and all(counts_only(self.editor, user) for user in self.others)

    @property
    def is_constant(self) -> bool:
        """Whether all that there is are constants that are stored, and one of them could be a float."""
        if self.strangers or self.others or self.casts or not self.stores or any(map(self.editor.is_plain_load, self.values)):
            return False
        chosen = [source for value in self.values for source in _origins(self.editor, value)]
        return any(map(self.editor.could_be_float, [*chosen, *(self.editor.operands(store)[0] for store in self.stores)]))

    @property
    def is_moved(self) -> bool:
        """Whether all values are loaded, and they are stored."""
        is_loaded = any(map(self.editor.is_plain_load, self.values))
        return is_loaded and bool(self.stores) and not self.strangers

    @property
    def is_moved_or_counted(self) -> bool:
        """Whether what is stored was loaded, or is a number in the place of that, as in an enum's two arms."""
        is_loaded = any(map(self.editor.is_plain_load, self.values))
        return is_loaded and bool(self.stores) and self._are_numbers and not self.others

    @property
    def _are_numbers(self) -> bool:
        return all(is_counted(self.editor, source, self.words.is_number, self._is_either) for source in self.strangers)

    def _is_either(self, value: Value) -> bool:
        """Whether a value is a number in one variant of an enum, a float in another: what is computed with it is a number then.

        It is of the web, or a float's bits that were so before; and it is not written that a float's bits are wanted.
        """
        editor, is_given_back = self.editor, is_of(self.editor, OF_FLOAT, value)
        if not (is_given_back or value in self.values) or is_users_conversion(editor, value):
            return False
        if not self.words.are_shared_by_variables(editor.module.parent(value), self.bits):
            return False
        sources = editor.sources(editor.operands(value)[0] if is_given_back else value)
        loads = [source for source in sources if editor.is_plain_load(source)]
        is_number = is_given_back or any(is_counted(editor, source, self.words.is_number) for source in sources)
        return (bool(loads) or is_number) and not any(map(self.words.is_for_floats, loads))

    def _lies_with_floats(self, access: Value) -> bool:
        return not _origins(self.editor, access) and self.editor.slot(access) in self.floats

    def _sources(self, value: Value) -> list[Value]:
        chosen = _origins(self.editor, value)
        nodes = [source for source in chosen if _is_node(self.editor, source, self.words)]
        for source in set(chosen) - set(nodes):
            if self.editor.float_behind(source):
                self.carries_float = True
            elif not self.editor.is_simple_constant(source):
                self.strangers.append(source)
        return nodes

    def _users(self, value: Value) -> list[Value]:
        nodes = []
        for user in dict.fromkeys(self.editor.module.users(value)):
            if self.editor.is_plain_store(user) and self.editor.api.GetOperand(user, 0) == value:
                if user not in self.stores:
                    self.stores.append(user)
                self.carries_float |= self._lies_with_floats(user)
            elif value in _origins(self.editor, user):
                nodes.append(user)
            elif self.editor.is_cast_to_float(user):
                self.casts.append(user)
                self.carries_float = True
            else:
                self.others.append(user)
        return nodes


class _Move:
    """A web being made anew, each word as so many floats."""

    def __init__(self, editor: Editor, web: _Web, parts: int) -> None:
        self.editor = editor
        self.api = editor.api
        self.web = web
        self.bits = web.bits // parts
        self.offsets = range(0, web.bits // 8, self.bits // 8)
        self.ty = editor.float_type(self.bits)
        self.made: dict[Value, list[Value]] = {}

    def make(self) -> None:
        """Make the values of the web and what uses them; the old ones go."""
        phis = [value for value in self.web.values if self.api.IsAPHINode(value)]
        for phi in phis:
            with self.editor.module.before(phi) as builder:
                self.made[phi] = [self.api.BuildPhi(builder, self.ty, b"") for _ in self.offsets]
        for phi in phis:
            self._fill(phi)
        for store in self.web.stores:
            self._store(store)
        for cast in self.web.casts:
            self.editor.replace(cast, self._floats(self.api.GetOperand(cast, 0), cast)[0])
        for user in self.web.others:
            self._give_back(user)
        for value in self.web.values:
            self.editor.replace(value, self.api.GetPoison(self.api.TypeOf(value)))

    def _fill(self, phi: Value) -> None:
        ends = [self.api.GetBasicBlockTerminator(block) for block in self.editor.incoming_blocks(phi)]
        incoming = [self._floats(value, end) for value, end in zip(self.editor.chosen(phi), ends, strict=True)]
        for part, made in enumerate(self.made[phi]):
            self.editor.add_incoming(made, [floats[part] for floats in incoming], phi)

    def _floats(self, value: Value, place: Value) -> list[Value]:
        """The floats that stand for a word; those that must be cast are cast before the instruction `place`."""
        if value in self.made:
            return self.made[value]
        if source := self.editor.float_behind(value):
            return [source]
        if self.editor.is_simple_constant(value):
            return self.editor.constant_parts(value, self.bits, self.ty)
        if value in self.web.values:
            self.made[value] = self._anew(value)
            return self.made[value]
        return [opaque.cast(self.editor, value, self.ty, place)]

    def _anew(self, value: Value) -> list[Value]:
        if self.api.IsASelectInst(value):
            return self._select(value)
        return self._freeze(value) if self.api.IsAFreezeInst(value) else self._load(value)

    def _freeze(self, freeze: Value) -> list[Value]:
        floats = self._floats(self.api.GetOperand(freeze, 0), freeze)
        with self.editor.module.before(freeze) as builder:
            return [self.api.BuildFreeze(builder, one, b"") for one in floats]

    def _select(self, select: Value) -> list[Value]:
        one, other = (self._floats(value, select) for value in self.editor.chosen(select))
        condition = self.api.GetOperand(select, 0)
        with self.editor.module.before(select) as builder:
            return [self.api.BuildSelect(builder, condition, a, b, b"") for a, b in zip(one, other, strict=True)]

    def _load(self, load: Value) -> list[Value]:
        pointer, alignment = self.api.GetOperand(load, 0), self.api.GetAlignment(load)
        floats = []
        with self.editor.module.before(load) as builder:
            for offset in self.offsets:
                made = self.api.BuildLoad2(builder, self.ty, self.editor.address(builder, pointer, offset), b"")
                self.api.SetAlignment(made, self._alignment(alignment, offset))
                floats.append(made)
        return floats

    def _store(self, store: Value) -> None:
        pointer, alignment = self.api.GetOperand(store, 1), self.api.GetAlignment(store)
        floats = self._floats(self.api.GetOperand(store, 0), store)
        with self.editor.module.before(store) as builder:
            for offset, value in zip(self.offsets, floats, strict=True):
                made = self.api.BuildStore(builder, value, self.editor.address(builder, pointer, offset))
                self.api.SetAlignment(made, self._alignment(alignment, offset))
        self.api.InstructionEraseFromParent(store)

    @staticmethod
    def _alignment(alignment: int, offset: int) -> int:
        return min(alignment, offset & -offset) if offset else alignment

    def _give_back(self, user: Value) -> None:
        """What wants the integer gets it from the float."""
        for index in range(self.api.GetNumOperands(user)):
            value = self.api.GetOperand(user, index)
            if value in self.web.values:
                as_integer = opaque.cast(self.editor, self._floats(value, user)[0], self.api.TypeOf(value), user)
                self.api.SetOperand(user, index, as_integer)
