"""The part of a program that Enzyme is shown: who asks for derivatives, and what is differentiated.

Enzyme's passes optimise all that they are shown, each function in their own way.  What no derivative reaches does not pass
through them, and comes out as it went in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline import leftovers, process
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector
from pipeline.toolchain import Tool

TRIGGER = "__enzyme_autodiff_trigger"
"""Enzyme looks for this name before it does anything: without it a program of forward mode alone would stay as it is."""


_OF_LLVM = "llvm."
_TIDY = "strip-dead-debug-info,strip-dead-prototypes"


@dataclass(frozen=True)
class Slicer:
    """Takes a module apart, and puts it together again."""

    llvm_link: Tool
    libllvm: Tool

    def part(self, module: Path, shims: Iterable[str], part: Path) -> None:
        """Write what Enzyme needs of a module to differentiate these.

        What the rest refers to, too, is visible in both; constants are in both with their values.
        """
        with Module(self.libllvm, module) as whole:
            editor, primals = _named(whole), whole.named(shims)
            asking = _asking(editor, primals)  # where it is differentiated itself, of others, too: it asks for all, or for none
            shown = {*asking, *_reached(editor, [*primals, *(one for each in asking for one in _asked(editor, each))])}
            changing = [value for value in whole.variables() if not editor.api.IsGlobalConstant(value)]
            hidden = [function for function in whole.functions() if function not in shown]
            _leave_out(editor, [value for value in (*hidden, *changing) if whole.has_value(value)])
            for alias in list(whole.aliases()):
                editor.leave_alias_to_others(alias)
            editor.drop_assembly()
            # Of a function that hands its own pointer on as another's `sret` Enzyme believes that it writes nothing, and has no
            # derivative (docs/enzyme-issues/sret-handed-on.ll).
            for function in shown:
                editor.drop_parameter_attributes(function, "sret")
            editor.run_passes(f"globaldce,{_TIDY}")
            whole.declare(TRIGGER)
            whole.write(part)

    def added(self, prepared: Path, module: Path, added: Path) -> None:
        """Write the functions that a module was given beyond those of another, and that these call."""
        with Module(self.libllvm, module) as before:
            known = {before.name(value) for value in _defined(before)}
        with Module(self.libllvm, prepared) as whole:
            editor = Editor(whole)
            _leave_out(editor, [value for value in _defined(whole) if whole.name(value) in known])
            editor.run_passes(_TIDY)
            whole.write(added)

    def rest(self, module: Path, shims: Iterable[str], rest: Path) -> set[str]:
        """Write all of a module but who asks for the derivatives of these; what of the module others can refer to, by name."""
        with Module(self.libllvm, module) as whole:
            editor, visible = _named(whole), _visible(whole)
            _leave_out(editor, _asking(editor, whole.named(shims)))
            editor.run_passes(_TIDY)
            whole.write(rest)
        return visible

    def join(self, differentiated: Sequence[Path], rest: Path, visible: Collection[str], out: Path, log: Path) -> None:
        """Put the parts together: what is in several is as it is in the rest, and visible is what was visible in the module.

        Who asks is inlined into who wants the derivative, and what was said for Enzyme alone is taken back.
        """
        # Of a part just what is not there yet: llvm-link dies where it puts one definition with debug info in another's place.
        process.run_tool([self.llvm_link, "-only-needed", "-o", out, rest, *differentiated], log=log)
        with Module(self.libllvm, out) as joined:
            editor = Editor(joined)
            editor.hide_all_but(visible)
            editor.run_passes("always-inline")
            leftovers.take_back(editor)
            joined.write(out)


def _named(module: Module) -> Editor:
    """Who edits a module in which all have names: in several parts of it a constant is known by that to be one."""
    editor = Editor(module)
    editor.run_passes("name-anon-globals")
    return editor


def _defined(module: Module) -> list[Value]:
    return [value for value in (*module.functions(), *module.variables()) if module.has_value(value)]


def _leave_out(editor: Editor, left_out: Iterable[Value]) -> None:
    """Make declarations of these, and let other modules refer to all that stays."""
    for value in (*_defined(editor.module), *editor.module.aliases()):
        editor.make_visible(value)
    editor.declare_only(left_out)


def _visible(module: Module) -> set[str]:
    """What of a module others can refer to, by their names."""
    inspector = Inspector(module)
    defined = (value for value in (*_defined(module), *module.aliases()) if not inspector.is_internal(value))
    return {name for value in defined if (name := module.name(value)) and not name.startswith(_OF_LLVM)}


def _reached(inspector: Inspector, shims: Iterable[Value]) -> list[Value]:
    """What the shims call, what they ask derivatives of, and what stands in the constants that are used there.

    Not what is inactive: LLVM, which runs with Enzyme, would look through it.
    """
    found: dict[Value, None] = {}
    waiting = list(shims)
    while waiting:
        active = (f for f in call_tree(inspector, waiting) if not inspector.is_inactive(f))
        called = [function for function in active if function not in found]
        found |= dict.fromkeys(called)
        found_in = (inspector.functions_in_constants, partial(_asked, inspector))
        mentioned = dict.fromkeys(f for function in called for find in found_in for f in find(function))
        waiting = [f for f in mentioned if f not in found and not inspector.is_inactive(f)]
    return list(found)


def _asked(inspector: Inspector, function: Value) -> list[Value]:
    """What a function asks Enzyme for derivatives of."""
    asking = (call for call in calls(inspector, function) if inspector.is_enzymes(inspector.module.callee(call)))
    return [inspector.module.arguments(call)[0] for call in asking]


def _asking(inspector: Inspector, shims: Collection[Value]) -> list[Value]:
    """The functions that ask Enzyme for derivatives of these."""
    module = inspector.module
    calls = (user for function in module.functions() if inspector.is_enzymes(function) for user in module.users(function))
    return list(dict.fromkeys(module.parent(call) for call in calls if module.arguments(call)[0] in shims))
