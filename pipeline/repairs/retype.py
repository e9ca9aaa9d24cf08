"""Integers that are only moved are moved as floats of that width.

`x[i] = x[j]` and an aggregate handed on come as `load i64` and `store i64`: Enzyme takes what they carry for an integer
that has no derivative, silently.  As `double` it is followed; an integer that is moved as a float arrives unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def retype(editor: Editor, function: Value) -> bool:
    """Retype the moves of a function; True where there were some."""
    done: set[Value] = set()
    for load in list(editor.module.instructions(function)):
        if load in done or not editor.is_plain_load(load) or not editor.float_type_of(load):
            continue
        web = _web(editor, load)
        if web:
            _Move(editor, editor.float_type_of(load)).of(web)
            done |= {*web.values, *web.stores}
    return bool(done)


@dataclass
class _Web:
    """Loads, the choices between them, and where they are stored: nothing else happens to the values."""

    values: list[Value] = field(default_factory=list)
    stores: list[Value] = field(default_factory=list)


def _web(editor: Editor, load: Value) -> _Web | None:
    web, waiting = _Web(), [load]
    while waiting:
        value = waiting.pop()
        if value in web.values or editor.is_constant(value):
            continue
        if editor.is_choice(value):
            waiting += editor.chosen(value)
        elif not editor.is_plain_load(value):
            return None
        web.values.append(value)
        for user in editor.module.users(value):
            if editor.is_plain_store(user) and editor.api.GetOperand(user, 0) == value:
                web.stores.append(user)
            elif editor.is_choice(user) and value in editor.chosen(user):
                waiting.append(user)
            else:
                return None
    return web if web.stores else None


class _Move:
    """A web being made anew of floats."""

    def __init__(self, editor: Editor, ty: Value) -> None:
        self.editor = editor
        self.ty = ty
        self.made: dict[Value, Value] = {}

    def of(self, web: _Web) -> None:
        """Make the values of the web, then their stores; the old ones go."""
        for phi in filter(self.editor.api.IsAPHINode, web.values):
            with self.editor.module.before(phi) as builder:
                self.made[phi] = self.editor.api.BuildPhi(builder, self.ty, b"")
        for phi in filter(self.editor.api.IsAPHINode, web.values):
            incoming = [self._value(value) for value in self.editor.chosen(phi)]
            self.editor.add_incoming(self.made[phi], incoming, phi)
        for store in web.stores:
            self._store(store)
        for value in web.values:
            self.editor.replace(value, self.editor.api.GetPoison(self.editor.api.TypeOf(value)))

    def _value(self, value: Value) -> Value:
        """The float that stands for an integer of the web."""
        if value not in self.made:
            self.made[value] = self._constant(value) if self.editor.is_constant(value) else self._instruction(value)
        return self.made[value]

    def _constant(self, value: Value) -> Value:
        return int(self.editor.api.ConstBitCast(value, self.ty))

    def _instruction(self, value: Value) -> Value:
        api = self.editor.api
        chosen = [self._value(one) for one in self.editor.chosen(value)] if api.IsASelectInst(value) else []
        with self.editor.module.before(value) as builder:
            if chosen:
                return int(api.BuildSelect(builder, api.GetOperand(value, 0), *chosen, b""))
            made = api.BuildLoad2(builder, self.ty, api.GetOperand(value, 0), b"")
            api.SetAlignment(made, api.GetAlignment(value))
            return int(made)

    def _store(self, store: Value) -> None:
        api = self.editor.api
        value = self._value(api.GetOperand(store, 0))
        with self.editor.module.before(store) as builder:
            api.SetAlignment(api.BuildStore(builder, value, api.GetOperand(store, 1)), api.GetAlignment(store))
        api.InstructionEraseFromParent(store)
