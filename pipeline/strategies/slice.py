"""slice: what the derivatives can reach, out of each module, and nothing else; the program is rustc's own objects.

The bitcode lies beside the objects that were made of it.  What asks for derivatives stands in functions of its own; from these
on everything that is mentioned is followed, through vtables and other constants, and into whatever module has it, but not past
what never returns.  What changes is referred to, wherever the program has it, and so is what never returns: there is no second
copy.  Everything else is copied, under names that nobody else sees.

The program calls a derivative by the name of the function that asks for it and `.crategrad` (rust/autodiff, `ask_apart`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pipeline import bitcode, locations, process, symbol_lists
from pipeline.analyses import callables, from_outside, identities
from pipeline.analyses.effects import PRINTS, asks_the_system, prints
from pipeline.errors import UserError
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector
from pipeline.places import Places, numbered
from pipeline.repairs.apart import hide
from pipeline.stages import UNWANTED, optimise
from pipeline.stages.abi_fixup import asked
from pipeline.stages.build_std import SYMBOLS
from pipeline.stages.crate_bitcode import ASKS
from pipeline.strategies import APART, DERIVATIVE, FIRST, Artifacts, Given, single_module_merge
from pipeline.strategies.single_module_merge import SingleModuleMerge
from pipeline.toolchain import Tool
from pipeline.unwinding import abort_on_panic

BESIDE_OBJECTS = True

WHOLE = "whole"
"""The file beside the module that says why it is the whole program, where it is."""

_OBJECT = ("-filetype=obj", "-relocation-model=pic", "-data-sections")

_PLACEHOLDER = "__crategrad_placeholder_v"
_WANTED = ".wanted"
"""What the name of a derivative has after it where some object reads the function's value (rust/autodiff, `Asked::value`)."""
_MOVED = re.compile(r"\.llvm\.\d+$")

_ABORT = (
    "  = help: only the whole program tells: `panic: abort` merges it, which for tests wants `build_std: full`;"
    " or take that out of what is differentiated"
)

_LISTS = ("llvm.used", "llvm.compiler.used", "llvm.global_ctors")
"""What says something of the object as a whole, which this is not."""


def strategy(given: Given) -> Slice:
    """See `Named.strategy`."""
    return Slice(single_module_merge.strategy(given), given.tools.libllvm, given.tools.llc, given.unwinds)


@dataclass(frozen=True)
class Slice:
    """Cut and joined in memory, and given numbers for places (`places`): what stands in the module is code alone.

    Four things only the whole program can tell: what a pointer may call that comes into a derivative from outside, whether an
    address is that of a function or `static` of which there is a copy here, what becomes of floats that are written where
    something is printed, and what is in a variable that one codegen unit alone sees.  Where a derivative depends on any of
    these, the strategy is that of `whole`, on the same bitcode.
    """

    whole: SingleModuleMerge
    libllvm: Tool
    llc: Tool
    unwinds: bool = False
    """Whether a panic unwinds in the program; in the slice it ends it.  Then there is no way to have both in one module."""

    def merge(self, artifacts: Artifacts, module: Path, log: Path) -> bool:
        """See `Strategy.merge`."""
        import tempfile

        symbols = self._symbols(artifacts)
        with tempfile.TemporaryDirectory(dir=module.parent) as folder:
            parts, left = cut(self.libllvm, symbols, Path(folder), self.unwinds)
            joined = self._join(parts, left, symbols, Path(folder))
            why = joined.hidden or self._compiled(joined, module, log)
        if not why and joined.places:
            joined.places.write(module.parent)
        if why and self.unwinds:
            raise UserError(f"error: `panic: unwind` wants what is differentiated apart from the program, and {why}\n{_ABORT}")
        if why:
            module.with_name(WHOLE).write_text(why)
            self._merge_whole(artifacts, module, log)
        return not why

    def _symbols(self, artifacts: Artifacts) -> Symbols:
        std = artifacts.std
        objects = [path for path in (*artifacts.natives, *artifacts.compiled) if not (std and path.is_relative_to(std))]
        found, defined, wanted = symbol_lists.listed(self.whole.llvm_nm, artifacts.crates, objects)
        modules = {Path(path): names for path, names in found.items()}
        if std:
            of_std = symbol_lists.read(std / SYMBOLS)
            modules |= {std / path: names for path, names in of_std.modules.items()}
            defined += of_std.objects
        return Symbols.read(modules, defined, wanted)

    def _join(self, parts: Iterable[Path], left: Iterable[str], symbols: Symbols, folder: Path) -> Joined:
        """What is cut as one module; functions that are `left` to the program have no body here that would tell Enzyme."""
        text, apart = folder / "joined.ll", folder / "apart.ll"
        with Module(self.libllvm, None) as module:
            for part in parts:
                module.link(part)
            editor = Editor(module)
            for function in module.named(left):
                hide(editor, function)
                if editor.pointer_type() in editor.parameter_types(editor.function_type(function)):
                    editor.add_text_attribute(function, PRINTS)
            names = locations.called_from_outside(module)
            editor.declare_only(v for v in module.variables() if module.has_value(v) and _stays_outside(editor, v))
            editor.hide_all_but(names)
            for constant in identities.of_statics(editor):
                editor.keep_address(constant)
            editor.run_passes("globaldce")
            found = locations.leave_out(editor, names) if names else []
            made, places = numbered(bitcode.text_without_checksums(module.as_text()))
            text.write_text(made)
            apart.write_text(locations.tables(made, names, found, places.lines))
            return Joined(text, apart, places, *_kept_outside(module, symbols))

    def _compiled(self, joined: Joined, module: Path, log: Path) -> str:
        """Write the module and, at the same time, the object beside it; why the latter is not to be, in words."""
        compiled, beside = module.with_name(APART), joined.apart.with_suffix(".log")
        beside.touch()
        calls: list[Callable[[], str | None]] = [partial(self._optimised, joined, module, log)]
        if joined.places:
            calls.append(partial(process.run_tool, [self.llc, *_OBJECT, "-o", compiled, joined.apart], log=beside))
        try:
            why = process.side_by_side(calls)[0] or ""
        finally:
            with log.open("ab") as stream:
                stream.write(beside.read_bytes())
        if why:
            compiled.unlink(missing_ok=True)
        return why

    def _optimised(self, joined: Joined, module: Path, log: Path) -> str:
        """The module; and what optimisation did not find out in it, in words."""
        optimise(self.whole.opt, FIRST, joined.text, module, log)
        return self._asked_of_addresses(module, joined)

    def _asked_of_addresses(self, module: Path, joined: Joined) -> str:
        """What is asked that only the whole program tells, where, and for which derivative; empty where nothing is."""
        with Module(self.libllvm, module, joined.places.told) as opened:
            derivatives = {derivative.shim: derivative for derivative in asked(opened)}
            shims = opened.named(derivatives)
            keeping = [variable for name in joined.keeping for variable in opened.globals_named(name)]
            for one in from_outside.asked(Inspector(opened), shims, keeping):
                its = derivatives[opened.name(one.shim)]
                return f"{one.what} at {opened.users_place(one.instruction)}, for `{its.derivative}` of `{its.primal}`"
        return ""

    def _merge_whole(self, artifacts: Artifacts, module: Path, log: Path) -> None:
        self.whole.join(artifacts, module, log)
        with Module(self.libllvm, module) as merged:
            call_by_name(Editor(merged))
            merged.write(module)
        optimise(self.whole.opt, FIRST, module, module, log)


def _kept_outside(joined: Module, symbols: Symbols) -> tuple[str, list[str]]:
    """Of the program's variables that are needed: one that cannot be referred to, in words; which may lead to functions."""
    needed = {joined.name(one): one for one in joined.variables() if not joined.has_value(one)}
    known = {name: one for name, one in needed.items() if symbols.is_known(name)}
    hidden = (f"only one codegen unit sees {name}" for name in known if name not in symbols.in_program)
    return next(hidden, ""), [joined.name(one) for one in callables.keeping(joined, known.values())]


@dataclass(frozen=True)
class Joined:
    """What was cut, as one module."""

    text: Path
    apart: Path
    """What stands in an object of its own, so that no line of the source is in the module."""
    places: Places
    """What numbers stand for in the module."""
    hidden: str
    """What is needed and cannot be referred to, in words."""
    keeping: Sequence[str]
    """The program's variables from which what may be called may be read."""


@dataclass(frozen=True)
class Symbols:
    """Where what is defined."""

    module_of: Mapping[str, Path]
    """The module of each name that all modules see."""
    local: Mapping[str, Collection[Path]]
    """The modules of each name that only its own module sees."""
    in_program: Collection[str]
    """The names that the program's objects can refer to, after rustc has optimised."""
    called: Mapping[str, Collection[str]]
    """The functions that ask for derivatives which the program calls, and the names by which it does: LLVM's ThinLTO gives what
    it moves from one module into another a name of its own."""

    @classmethod
    def read(cls, modules: Mapping[Path, symbol_lists.Names], defined: Iterable[str], wanted: Iterable[str]) -> Symbols:
        """From what modules define, and what objects define and want."""
        module_of: dict[str, Path] = {}
        local: dict[str, set[Path]] = {}
        for file, names in modules.items():
            for name in names.visible:
                module_of.setdefault(name, file)
            for name in names.local:
                local.setdefault(name, set()).add(file)
        called = dict[str, set[str]]()
        for name in wanted:
            if name.endswith(DERIVATIVE):
                called.setdefault(_MOVED.sub("", name.removesuffix(DERIVATIVE)), set()).add(name)
        return cls(module_of, local, set(defined), called)

    def is_known(self, name: str) -> bool:
        """True for what some module defines."""
        return name in self.module_of or name in self.local

    def asking(self) -> Iterator[tuple[Path, str]]:
        """The functions that ask for the derivatives, each once, whichever of the modules that have it."""
        for name in sorted(self.called):
            yield self.module_of.get(name) or min(self.local[name]), name


def cut(libllvm: Tool, symbols: Symbols, folder: Path, unwinds: bool) -> tuple[list[Path], list[str]]:
    """Write what is reached of each module into the folder; and what of std's is left to the program, by name."""
    with ExitStack() as opened:
        parts: dict[Path, _Part] = {}

        def part(path: Path) -> _Part:
            if path not in parts:
                parts[path] = _Part(Editor(opened.enter_context(Module(libllvm, path))), symbols)
            return parts[path]

        waiting = list(symbols.asking())
        for path, name in waiting:
            part(path).asking.append(name)
        while waiting:
            path, name = waiting.pop()
            elsewhere = part(path).reach(name)
            waiting += [(symbols.module_of[other], other) for other in elsewhere if other in symbols.module_of]
        written = []
        for number, one in enumerate(parts.values()):
            one.leave_out_the_rest()
            if unwinds:
                abort_on_panic(one.editor)
            written.append(folder / f"{number:04}.bc")
            one.editor.module.write(written[-1])
        return written, sorted({name for one in parts.values() for name in one.left})


@dataclass
class _Part:
    """What is reached of a module."""

    editor: Editor
    symbols: Symbols
    asking: list[str] = field(default_factory=list)
    reached: dict[Value, None] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    """What was met and is left to the program."""

    def reach(self, name: str) -> list[str]:
        """Follow a name; the names of other modules' that are met."""
        module, elsewhere = self.editor.module, []
        waiting = module.globals_named(name)
        while waiting:
            value = waiting.pop()
            if value in self.reached:
                continue
            if self._is_left_to_program(value):
                self.left.append(module.name(value))
                continue
            self.reached[value] = None
            if not module.has_value(value):
                elsewhere.append(module.name(value))
            elif module.is_function(value):
                waiting += self._mentioned(value)
            elif not _stays_outside(self.editor, value):
                waiting += self.editor.globals_in([self.editor.api.GetInitializer(value)])
        return elsewhere

    def _mentioned(self, function: Value) -> list[Value]:
        """What a function mentions; before it ends without returning only what there is no other way to have."""
        editor, module = self.editor, self.editor.module
        returning = module.returning_instructions(function)
        found = dict.fromkeys(editor.globals_in(o for i in returning for o in editor.operands(i)))
        rest = editor.globals_in(o for i in module.instructions(function) for o in editor.operands(i))
        return [*found, *(one for one in rest if not self._is_in_program(one))]

    def _is_left_to_program(self, value: Value) -> bool:
        """Whether something asks the system, or prints, and the program has it: what it keeps nobody else sees."""
        module = self.editor.module
        is_there = module.is_function(value) and module.has_value(value) and self._is_in_program(value)
        return is_there and (asks_the_system(self.editor, value) or prints(self.editor, value))

    def _is_in_program(self, value: Value) -> bool:
        """Whether something can be referred to where the program has it, or is no concern of ours, as the C library's."""
        if self.editor.is_internal(value):
            return False
        name = self.editor.module.name(value)
        return name in self.symbols.in_program or not self.symbols.is_known(name)

    def leave_out_the_rest(self) -> None:
        """Make declarations of what is not reached and of what changes, and give those who ask the derivatives' names."""
        editor, module = self.editor, self.editor.module
        for name in _LISTS:
            module.drop_global(name)
        for value in [*module.functions(), *module.variables()]:
            if module.has_value(value) and value in self.reached and _stays_outside(editor, value):
                editor.publish_weakly(value)  # until all are joined: only where it is defined its type is told
            elif module.has_value(value) and value not in self.reached:
                editor.leave_to_others(value)
        call_by_name(editor)
        for asking in module.named(self.asking):
            for name in sorted(self.symbols.called[module.name(asking)]):
                called = editor.pass_on(name, editor.function_type(asking), asking)
                editor.compile_like(asking, called)
                editor.publish(called)
                if f"{name}{_WANTED}" not in self.symbols.in_program:
                    editor.add_text_attribute(called, UNWANTED)
        editor.drop_assembly()
        editor.run_passes("elim-avail-extern,globaldce,strip-dead-debug-info")


def _stays_outside(inspector: Inspector, value: Value) -> bool:
    """True for a `static` that changes, a thread-local, and what is put into a section: who reads that reads all there is."""
    if inspector.module.is_function(value):
        return False
    return not inspector.api.IsGlobalConstant(value) or bool(inspector.api.GetSection(value))


def call_by_name(editor: Editor) -> None:
    """Let derivatives be called where they are, not by names that are made in assembly; and drop what that says of names."""
    module = editor.module
    for function in list(module.functions()):
        asks, is_placeholder = ASKS in module.name(function), module.name(function).startswith(_PLACEHOLDER)
        for user in module.users(function) if asks or is_placeholder else []:
            if module.is_call(user) and module.is_inline_assembly(module.callee(user)):
                given = [argument for argument in module.arguments(user) if argument != function]  # the place of a value
                editor.replace(user, *(given or [function])) if asks else editor.api.InstructionEraseFromParent(user)
