"""abi_fixup: every placeholder of a derivative becomes the call that Enzyme differentiates, or is refused.

rustc's ABI splits, packs and drops arguments, and Enzyme's list of activities then no longer fits.  So the frontend has
rustc itself write a shim for each differentiated function, which takes every argument and the result by pointer: one
Rust argument is one LLVM argument whatever its type.  The placeholder names the shim and describes the derivative; here
the two are matched, and nothing is guessed: what does not fit exactly is an error at its Rust place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.errors import UserError
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.stages import MODULE, UNWANTED, Inputs, optimise
from pipeline.toolchain import Tool

DERIVATIVES = "derivatives.json"
VERSION = 2
"""The version of the frontend's placeholders that this stage reads."""

_PLACEHOLDERS = b"__crategrad_placeholder_v"  # as it stands in bitcode's table of names
_PLACEHOLDER = re.compile(r"__crategrad_placeholder_v(\d+)")
_ENZYME = {"reverse": "__enzyme_autodiff", "forward": "__enzyme_fwddiff"}
_INACTIVE = "Const"
_ACTIVITIES = {
    "reverse": {_INACTIVE, "Active", "ActiveOnly", "Duplicated", "DuplicatedOnly"},
    "forward": {_INACTIVE, "Dual", "DualOnly", "Dualv", "DualvOnly"},
}
_BY_VALUE = {"Active", "ActiveOnly"}
"""The activities whose adjoint is returned, or seeded, as a value of the primal's own type."""
_WRITTEN = {"Duplicated", "DuplicatedOnly"}
"""The activities whose shadow is written to."""
_WORDS = {
    "pointer": "a pointer",
    "enum": "an enum",
    "union": "a union",
    "nonzero": "never zero",
    "unknown": "of a type not known",
}
_RESULT_NOT_WANTED = {"ActiveOnly", "DualOnly", "DualvOnly"}


@dataclass(frozen=True)
class Derivative:
    """What the frontend says of a derivative: its names, mode, width, activities and place in the source."""

    derivative: str
    primal: str
    mode: str
    width: int
    names: tuple[str, ...]
    """The name of each argument."""
    arguments: tuple[str, ...]
    """The activity of each argument."""
    result: str | None
    """The activity of the result, None where there is none."""
    place: str
    """`file:line:column` of the differentiated function."""
    is_marked: bool = False
    """Whether the frontend marks where the function's value is read."""
    shim: str = ""
    """The name in the module of the shim that is differentiated."""
    outlives: bool = False
    """Whether memory that is allocated may be found when the function has returned (`analyses/outliving.py`)."""

    @property
    def pointers(self) -> int:
        """How many pointers the placeholder takes: a primal each, and a shadow for each lane of what is active."""
        return sum(1 if activity == _INACTIVE else 1 + self.width for activity in self.activities)

    @property
    def activities(self) -> tuple[str, ...]:
        """The activities of the shim's parameters: the arguments', and the result's last."""
        return self.arguments if self.result is None else (*self.arguments, self.result)


class RefusedError(UserError):
    """A derivative that cannot be had."""

    def __init__(self, derivative: Derivative, why: str) -> None:
        super().__init__(f"error: the derivative `{derivative.derivative}` is refused: {why}\n  --> {derivative.place}")
        self.derivative = derivative
        self.why = why


@dataclass(frozen=True)
class AbiFixup:
    """Output: `module.bc`; `derivatives.json`, a list of what is differentiated (empty: there is nothing to do)."""

    opt: Tool
    libllvm: Tool
    raw: bool
    """Whether the module was optimised less than Enzyme can do with (`opt1.level: 0`): then it is done here, at O2."""
    repairs: bool
    """Whether what Enzyme would misread is mended."""
    strong_zero: bool = False
    """Whether an adjoint of zero is zero whatever it is multiplied with."""
    without: tuple[str, ...] = ()
    """The repairs (`repairs.NAMES`) that are left out all the same."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Match placeholders and rewrite them.  A module in which nothing is ours goes through as it is.

        Raises: UserError for the first that has no primal, or not the activities and width it describes.
        """
        from pipeline import leftovers, marked, verification
        from pipeline.repairs import repair

        given = inputs["module"] / MODULE
        with Module(self.libllvm, self._optimised(given, out, log)) as module:
            editor = Editor(module)
            repairs = [*marked.say_inactive(editor), *verification.leave_out(module, _shims(module))]
            asking = _rewrite(editor, strong_zero=self.strong_zero)
            if asking and self.repairs:
                forward = module.named(d.shim for d in asking if d.mode == "forward")
                repairs += repair(module, module.named(d.shim for d in asking), forward, self.without)
            for function in asking.values():  # only now: repairs have calls inlined, but not these
                editor.add_attribute(function, "alwaysinline")
            if not asking:
                leftovers.take_back(editor)
            if any(name in given.read_bytes() for name in (_PLACEHOLDERS, marked.MARK.encode())):
                module.write(out / MODULE)
            else:
                (out / MODULE).hardlink_to(given)
            derivatives = _told(editor, asking)
        (out / DERIVATIVES).write_text(json.dumps([asdict(d) for d in derivatives], indent=1))
        lines = [f"{d.place}: {d.derivative}: {d.mode} of {d.primal}" for d in derivatives] + repairs
        log.write_text("".join(f"{line}\n" for line in lines))

    def _optimised(self, module: Path, out: Path, log: Path) -> Path:
        if not self.raw or _PLACEHOLDERS not in module.read_bytes():
            return module
        optimise(self.opt, 2, module, out / MODULE, log)
        return out / MODULE


def _told(editor: Editor, asking: Collection[Derivative]) -> list[Derivative]:
    """The derivatives as they are written down, always in the same order."""
    from pipeline.analyses.outliving import outlives

    shims = dict.fromkeys(one.shim for one in asking)
    lasting = {shim: outlives(editor, function) for shim, function in zip(shims, editor.module.named(shims), strict=True)}
    found = [replace(one, outlives=lasting[one.shim]) for one in asking]
    return sorted(found, key=lambda derivative: json.dumps(asdict(derivative)))


def asked(module: Module) -> list[Derivative]:
    """The derivatives that a module's placeholders describe, each with its shim; nothing is rewritten, nor refused."""
    found = []
    for call in _placeholders(module):
        descriptor, shim, *_ = module.arguments(call)
        with suppress(UserError):
            derivative = _describe(module.string(descriptor), module.place(call))
            found.append(replace(derivative, shim=module.name(shim), place=module.told(derivative.place)))
    return list(dict.fromkeys(found))


def _placeholders(module: Module) -> Iterator[Value]:
    """The calls of placeholders, as far as they are what they should be."""
    for function in module.functions():
        version = _PLACEHOLDER.fullmatch(module.name(function))
        for user in module.users(function) if version and int(version[1]) == VERSION else []:
            if module.is_call(user) and module.callee(user) == function and len(module.arguments(user)) > 1:
                yield user


def _shims(module: Module) -> list[Value]:
    return list(dict.fromkeys(module.arguments(call)[1] for call in _placeholders(module)))


def _rewrite(editor: Editor, *, strong_zero: bool) -> dict[Derivative, Value]:
    """Have Enzyme asked for what the placeholders describe; for each derivative the function that asks."""
    module = editor.module
    asking: dict[Derivative, Value] = {}
    for function in list(module.functions()):
        version = _PLACEHOLDER.fullmatch(module.name(function))
        if not version:
            continue
        if int(version[1]) != VERSION:
            raise UserError(
                f"error: the crate uses an `autodiff` of version {version[1]}; this pipeline reads version {VERSION}\n"
                "  = help: depend on the rust/autodiff that lies beside this pipeline"
            )
        for user in module.users(function):
            derivative, primal, pointers = _matched(module, function, user)
            if derivative not in asking:
                asking[derivative] = _asking(editor, derivative, primal, module.parent(user), strong_zero=strong_zero)
            asks = asking[derivative]
            if derivative.is_marked and editor.has_text_attribute(module.parent(user), UNWANTED):
                _keep_value(editor, derivative, primal, user, pointers)
            with module.before(user) as builder:
                editor.replace(user, editor.call(builder, editor.function_type(asks), asks, pointers))
        module.delete_function(function)
    return asking


def _matched(module: Module, placeholder: Value, user: Value) -> tuple[Derivative, Value, list[Value]]:
    """The derivative that a placeholder's call describes, its primal, and the pointers: they fit, or it is refused."""
    if not module.is_call(user) or module.callee(user) != placeholder:
        raise UserError("error: a derivative's placeholder is used otherwise than by calling it")
    if len(module.arguments(user)) < 2:
        raise UserError("error: a derivative's placeholder is called without description and primal")
    descriptor, primal, *pointers = module.arguments(user)
    derivative = _describe(module.string(descriptor), module.place(user))
    if not module.is_defined(primal):
        raise RefusedError(derivative, f"its primal `{derivative.primal}` has no body in the program's bitcode")
    if len(pointers) != derivative.pointers:
        raise RefusedError(
            derivative,
            f"{derivative.mode} mode of width {derivative.width} with activities {', '.join(derivative.activities)} "
            f"takes {derivative.pointers} pointers; the placeholder passes {len(pointers)}",
        )
    _check_types(module, derivative, primal)
    return replace(derivative, shim=module.name(primal)), primal, pointers


def _keep_value(editor: Editor, derivative: Derivative, primal: Value, user: Value, pointers: list[Value]) -> None:
    """Have a float that nobody reads be written to a place of our own: opt2 then leaves out what only this value needs."""
    from pipeline.analyses.debug_info import FLOAT_BITS, parameter_types, pointee_leaves

    ty = parameter_types(editor.module, primal)[-1]
    leaves = list(pointee_leaves(editor.module, ty, "result"))
    if len(leaves) == 1 and leaves[0].kind == "float":
        place = editor.stack_slot(editor.module.parent(user), editor.float_type(FLOAT_BITS[leaves[0].type]))
        pointers[-1 - derivative.width] = place


def _asking(editor: Editor, derivative: Derivative, primal: Value, like: Value, *, strong_zero: bool) -> Value:
    """A function of its own that asks Enzyme for a derivative: with it Enzyme is shown nothing of who wants it."""
    pointer = editor.pointer_type()
    function = editor.internal_function(derivative.derivative, editor.void_type(), [pointer] * derivative.pointers)
    editor.compile_like(like, function)
    with editor.block(function) as builder:
        arguments = _enzyme_arguments(editor, derivative, primal, editor.parameters(function), strong_zero=strong_zero)
        editor.module.call_variadic(builder, _ENZYME[derivative.mode], list(arguments))
        editor.api.BuildRetVoid(builder)
    return function


def _enzyme_arguments(
    editor: Editor, derivative: Derivative, primal: Value, pointers: list[Value], *, strong_zero: bool
) -> Iterator[Value]:
    """Enzyme's calling convention: the primal, how it is differentiated, and before each argument what it is."""
    from pipeline.analyses.mixing import mixes
    from pipeline.analyses.unwanted import STRONG_ZERO
    from pipeline.repairs.primals import COMPARED

    module = editor.module
    yield primal
    if strong_zero:
        yield module.external(STRONG_ZERO)
    if mixes(editor, primal):
        yield module.external(COMPARED)
    if derivative.width > 1:
        yield module.external("enzyme_width")
        yield module.int64(derivative.width)
    remaining = iter(pointers)
    for position, activity in enumerate(derivative.activities):
        inactive = activity == _INACTIVE
        # What an argument points to may be read again: only the result's own place is surely written and no more.
        not_wanted = activity in _RESULT_NOT_WANTED and position == len(derivative.arguments)
        yield module.external("enzyme_const" if inactive else "enzyme_dupnoneed" if not_wanted else "enzyme_dup")
        for _ in range(1 if inactive else 1 + derivative.width):
            yield next(remaining)


def _check_types(module: Module, derivative: Derivative, primal: Value) -> None:
    """See to it that what is returned beside the result, or seeded by value, is made of nothing but numbers.

    Its shadow begins as zeros, and is what the user gets: there is no pointer, tag or niche that zeros or an adjoint
    could stand for.  The compiler saw generics and aliases where debug info has the types.
    """
    from pipeline.analyses.debug_info import parameter_types, pointee_leaves, shared_floats

    checked = [(name, a, a in _BY_VALUE) for name, a in zip(derivative.names, derivative.arguments, strict=True)]
    if derivative.result is not None:
        checked.append(("result", derivative.result, derivative.result != _INACTIVE))
    types = parameter_types(module, primal)[-len(checked) :] if checked else []
    if len(types) != len(checked):
        raise RefusedError(derivative, "the types of its arguments are not known: its crate was built without debug symbols")
    for pointer, (name, activity, is_checked) in zip(types, checked, strict=True):
        leaves = list(pointee_leaves(module, pointer, name)) if is_checked else []
        for leaf in leaves:
            if leaf.kind not in {"float", "number"}:
                what = f"`{leaf.path}` is {_WORDS[leaf.kind]} (`{leaf.type}`)"
                raise RefusedError(derivative, f"`{activity}` is for values made of nothing but numbers, and {what}")
        if is_checked and not any(leaf.kind == "float" for leaf in leaves):
            raise RefusedError(derivative, f"`{name}` is `{activity}`, and there is no float in it")
        for shared in shared_floats(module, pointer, name) if activity in _WRITTEN else ():
            what = f"`{activity}` writes adjoints to whatever floats `{name}` leads to, and `{shared.path}` is shared"
            raise RefusedError(derivative, f"{what} (`{shared.type}`): hold them by value, `&mut`, `Box` or `Vec`")


def _describe(text: str | None, place: str | None) -> Derivative:
    try:
        fields: dict[str, Any] = json.loads(text or "")
        derivative = Derivative(
            derivative=fields["derivative"],
            primal=fields["primal"],
            mode=fields["mode"],
            width=int(fields["width"]),
            names=tuple(argument["name"] for argument in fields["arguments"]),
            arguments=tuple(argument["activity"] for argument in fields["arguments"]),
            result=fields["result"] and fields["result"]["activity"],
            is_marked=bool(fields["result"]) and fields["result"].get("marked", False),
            place=f"{fields['file']}:{fields['line']}:{fields['column']}",
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"error: a derivative's description cannot be read ({text!r})\n  --> {place or 'no place known'}\n"
            "  = help: depend on the rust/autodiff that lies beside this pipeline"
        ) from error
    if not set(derivative.activities) <= _ACTIVITIES.get(derivative.mode, set()) or derivative.width < 1:
        asked = f"{derivative.mode} mode of width {derivative.width} with {', '.join(derivative.activities)}"
        raise RefusedError(derivative, f"this pipeline knows no {asked}")
    return derivative
