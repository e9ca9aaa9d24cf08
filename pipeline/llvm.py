"""LLVM's C API by ctypes: just what the stages need to read and rewrite a module.

llvmlite reads modules but cannot change calls and signatures; the C API of the libLLVM that `opt` itself loads can.
Handles are plain integers; a function here is named as LLVM names it, without the prefix.
See https://llvm.org/doxygen/group__LLVMC.html.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_ulonglong, c_ushort, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pipeline.errors import UserError
from pipeline.llvm_known import Known
from pipeline.toolchain import Tool

Value = int
"""A handle of an LLVM value; 0 is none."""
T = TypeVar("T")

_USERS_FOLDER = "."  # rustc's working folder, to which our rustc_wrapper maps it
_UNREACHABLE = 7  # LLVMOpcode
_DEBUG = 0  # of the kinds of metadata

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "ContextCreate": (c_void_p, []),
    "ContextDispose": (None, [c_void_p]),
    "ContextSetDiagnosticHandler": (None, [c_void_p, c_void_p, c_void_p]),
    "CreateMemoryBufferWithContentsOfFile": (c_int, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "ParseBitcodeInContext2": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "ParseIRInContext": (c_int, [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "ModuleCreateWithNameInContext": (c_void_p, [c_char_p, c_void_p]),
    "LinkModules2": (c_int, [c_void_p, c_void_p]),
    "DisposeModule": (None, [c_void_p]),
    "DisposeMessage": (None, [c_void_p]),
    "PrintModuleToString": (c_void_p, [c_void_p]),
    "WriteBitcodeToFile": (c_int, [c_void_p, c_char_p]),
    "VerifyModule": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "GetNamedGlobal": (c_void_p, [c_void_p, c_char_p]),
    "DeleteGlobal": (None, [c_void_p]),
    "AddGlobal": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "GetFirstGlobal": (c_void_p, [c_void_p]),
    "GetNextGlobal": (c_void_p, [c_void_p]),
    "IsGlobalConstant": (c_int, [c_void_p]),
    "GetFirstGlobalAlias": (c_void_p, [c_void_p]),
    "GetNextGlobalAlias": (c_void_p, [c_void_p]),
    "GetFirstFunction": (c_void_p, [c_void_p]),
    "GetNextFunction": (c_void_p, [c_void_p]),
    "IsAConstantDataArray": (c_void_p, [c_void_p]),
    "GetNamedFunction": (c_void_p, [c_void_p, c_char_p]),
    "AddFunction": (c_void_p, [c_void_p, c_char_p, c_void_p]),
    "DeleteFunction": (None, [c_void_p]),
    "ConstIntGetZExtValue": (c_ulonglong, [c_void_p]),
    "GetValueName2": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "IsDeclaration": (c_int, [c_void_p]),
    "GetFirstUse": (c_void_p, [c_void_p]),
    "GetNextUse": (c_void_p, [c_void_p]),
    "GetUser": (c_void_p, [c_void_p]),
    "GetFirstBasicBlock": (c_void_p, [c_void_p]),
    "GetNextBasicBlock": (c_void_p, [c_void_p]),
    "GetFirstInstruction": (c_void_p, [c_void_p]),
    "GetNextInstruction": (c_void_p, [c_void_p]),
    "IsAArgument": (c_void_p, [c_void_p]),
    "GetParamParent": (c_void_p, [c_void_p]),
    "GetInstructionParent": (c_void_p, [c_void_p]),
    "GetBasicBlockParent": (c_void_p, [c_void_p]),
    "GetBasicBlockTerminator": (c_void_p, [c_void_p]),
    "GetInstructionOpcode": (c_int, [c_void_p]),
    "IsACallInst": (c_void_p, [c_void_p]),
    "IsAFunction": (c_void_p, [c_void_p]),
    "IsAInlineAsm": (c_void_p, [c_void_p]),
    "IsAGlobalVariable": (c_void_p, [c_void_p]),
    "GetCalledValue": (c_void_p, [c_void_p]),
    "GetNumArgOperands": (c_uint, [c_void_p]),
    "GetNumOperands": (c_int, [c_void_p]),
    "GetOperand": (c_void_p, [c_void_p, c_uint]),
    "GetInitializer": (c_void_p, [c_void_p]),
    "IsConstantString": (c_int, [c_void_p]),
    "GetAsString": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "GetDebugLocLine": (c_uint, [c_void_p]),
    "GetDebugLocColumn": (c_uint, [c_void_p]),
    "GetDebugLocDirectory": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "GetDebugLocFilename": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "InstructionGetDebugLoc": (c_void_p, [c_void_p]),
    "DILocationGetLine": (c_uint, [c_void_p]),
    "DILocationGetColumn": (c_uint, [c_void_p]),
    "DIScopeGetFile": (c_void_p, [c_void_p]),
    "DIFileGetDirectory": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "DIFileGetFilename": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "DILocationGetScope": (c_void_p, [c_void_p]),
    "DILocationGetInlinedAt": (c_void_p, [c_void_p]),
    "GetSubprogram": (c_void_p, [c_void_p]),
    "GlobalCopyAllMetadata": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "ValueMetadataEntriesGetKind": (c_uint, [c_void_p, c_uint]),
    "ValueMetadataEntriesGetMetadata": (c_void_p, [c_void_p, c_uint]),
    "DisposeValueMetadataEntries": (None, [c_void_p]),
    "MetadataAsValue": (c_void_p, [c_void_p, c_void_p]),
    "ValueAsMetadata": (c_void_p, [c_void_p]),
    "GetDINodeTag": (c_ushort, [c_void_p]),
    "DITypeGetSizeInBits": (c_ulonglong, [c_void_p]),
    "DITypeGetAlignInBits": (c_uint, [c_void_p]),
    "DITypeGetOffsetInBits": (c_ulonglong, [c_void_p]),
    "DISubprogramGetLine": (c_uint, [c_void_p]),
    "GetMDNodeNumOperands": (c_uint, [c_void_p]),
    "GetMDNodeOperands": (None, [c_void_p, POINTER(c_void_p)]),
    "GetMDString": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "CreateBuilderInContext": (c_void_p, [c_void_p]),
    "DisposeBuilder": (None, [c_void_p]),
    "PositionBuilderBefore": (None, [c_void_p, c_void_p]),
    "SetCurrentDebugLocation2": (None, [c_void_p, c_void_p]),
    "BuildCall2": (c_void_p, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p), c_uint, c_char_p]),
    "InstructionEraseFromParent": (None, [c_void_p]),
    "VoidTypeInContext": (c_void_p, [c_void_p]),
    "Int32TypeInContext": (c_void_p, [c_void_p]),
    "Int64TypeInContext": (c_void_p, [c_void_p]),
    "FunctionType": (c_void_p, [c_void_p, c_void_p, c_uint, c_int]),
    "ConstInt": (c_void_p, [c_void_p, c_ulonglong, c_int]),
}

IN_PLACE = (
    "-unroll-allow-peeling=false",
    "-unroll-peel-max-count=0",  # the pass that unrolls in full asks for this alone
    "-instcombine-code-sinking=false",
    "-simplifycfg-sink-common=false",
)
"""Options by which LLVM leaves what is computed, and stored, where it is, until Enzyme has run.

A peeled run of a loop, or code that is sunk to where it is used, puts addresses and lengths where Enzyme's reverse sweep wants
them and has them not: it ends with an assertion (`eraseFictiousPHIs`).  And of the stores of an enum's two arms one store to
either's place would be made: SROA leaves that place in memory, where a float, a pointer or an integer then share a word.
"""

_FUNCTIONS = ("sqrt", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "pow", "fma", "fmuladd")
STEEP = (*(f"llvm.{name}.{ty}" for ty in ("f32", "f64") for name in _FUNCTIONS), "llvm.powi.f32.i32", "llvm.powi.f64.i32")
"""The functions of LLVM's own that std calls and of which a slope may be infinite, or no number."""

WHERE_WANTED = tuple(f"-force-remove-attribute={name}:speculatable" for name in STEEP)
"""Options by which LLVM's default pipelines (the pass `forceattrs` in them) compute these only where they are wanted: before no
branch, and before no loop.  To who reads the bitcode they are again what they were.

In reverse mode the adjoint of what is computed and not wanted is zero, and zero times an infinite slope, or times NaN, is NaN.
"""

# Without a handler LLVM prints an error of its own and ends the whole process.
_SILENT = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)(lambda _diagnostic, _context: None)


class Module:
    """A module in memory, in a context of its own; use it in a `with` block."""

    def __init__(self, libllvm: Tool, path: Path | None, told: Callable[[str], str] = str) -> None:
        """Read bitcode, or text if it is named `.ll`; there is nothing in it without a path.  `told` makes of places and names
        in its debug info what users are told.

        Raises: UserError where the library or the module cannot be read.
        """
        self.told = told
        self._known = Known()
        self.api = Api(load(libllvm), lambda name, given: self._known.forget(self.api, name, given))
        self.context = self.api.ContextCreate()
        self.api.ContextSetDiagnosticHandler(self.context, ctypes.cast(_SILENT, c_void_p), None)
        self.handle: int = self._parse(path) if path else self.api.ModuleCreateWithNameInContext(b"joined", self.context)
        self.once, self.once_in = self._known.once, self._known.once_in
        # Debug info never changes, and is asked for each instruction.
        self._said: dict[tuple[Callable[..., Any], Value], Any] = {}
        self._operands: dict[Value, list[Value]] = {}
        self._strings: dict[Value, str] = {}
        self._scopes: dict[Value, list[Value]] = {}
        self._tags: dict[Value, int] = {}

    def __enter__(self) -> Module:
        return self

    def __exit__(self, *_: object) -> None:
        self.api.DisposeModule(self.handle)
        self.api.ContextDispose(self.context)

    def said(self, find: Callable[..., T], node: Value) -> T:
        """What is found in a node of debug info, which never changes, found out once."""
        if (find, node) not in self._said:
            self._said[find, node] = find(self, node)
        found: T = self._said[find, node]
        return found

    def functions(self) -> Iterator[Value]:
        """All functions, declarations included."""
        return self._chain(self.api.GetFirstFunction(self.handle), self.api.GetNextFunction)

    def constants(self) -> Iterator[Value]:
        """The initial values of all global variables that have one and never change."""
        for variable in self.variables():
            value = self.api.GetInitializer(variable) if self.api.IsGlobalConstant(variable) else 0
            if value:
                yield int(value)

    def variables(self) -> Iterator[Value]:
        """All global variables, constant ones among them."""
        return self._chain(self.api.GetFirstGlobal(self.handle), self.api.GetNextGlobal)

    def aliases(self) -> Iterator[Value]:
        """All other names of functions and of variables."""
        return self._chain(self.api.GetFirstGlobalAlias(self.handle), self.api.GetNextGlobalAlias)

    def globals_named(self, name: str) -> list[Value]:
        """The function, or the global variable, of that name, if there is one."""
        found = (get(self.handle, name.encode()) for get in (self.api.GetNamedFunction, self.api.GetNamedGlobal))
        return [int(value) for value in found if value]

    def has_value(self, value: Value) -> bool:
        """True for a function that has a body here, and for a global variable that has its value here."""
        return not self.api.IsDeclaration(value)

    def named(self, names: Iterable[str]) -> list[Value]:
        """The functions of these names that there are, in the order of the names."""
        found = (self.api.GetNamedFunction(self.handle, name.encode()) for name in dict.fromkeys(names))
        return [int(function) for function in found if function]

    def instructions(self, function: Value) -> Iterator[Value]:
        """All instructions of a function's body."""
        for block in self.blocks(function):
            yield from self.instructions_of(block)

    def returning_instructions(self, function: Value) -> list[Value]:
        """Those after which the function may still return: what ends in a panic has no derivative."""
        return list(self.once_in(function, "returning", lambda: self._returning_instructions(function)))

    def _returning_instructions(self, function: Value) -> list[Value]:
        ends = ((block, self.api.GetBasicBlockTerminator(block)) for block in self.blocks(function))
        blocks = [block for block, end in ends if self.api.GetInstructionOpcode(end) != _UNREACHABLE]
        return [instruction for block in blocks for instruction in self.instructions_of(block)]

    def instructions_of(self, block: Value) -> Iterator[Value]:
        """The instructions of a block."""
        return self._chain(self.api.GetFirstInstruction(block), self.api.GetNextInstruction)

    def blocks(self, function: Value) -> Iterator[Value]:
        """The blocks of a function's body."""
        return self._chain(self.api.GetFirstBasicBlock(function), self.api.GetNextBasicBlock)

    def name(self, value: Value) -> str:
        """The value's name in the module; empty where it has none."""
        size = c_size_t()
        return text(self.api.GetValueName2(value, byref(size)), size.value)

    def users(self, value: Value) -> list[Value]:
        """Everything that has the value as an operand."""
        uses = self._chain(self.api.GetFirstUse(value), self.api.GetNextUse)
        return [self.api.GetUser(use) for use in uses]

    def is_defined(self, value: Value) -> bool:
        """True for a function that has a body here."""
        return bool(self.api.IsAFunction(value)) and not self.api.IsDeclaration(value)

    def is_function(self, value: Value) -> bool:
        """True for a function, with or without a body."""
        return bool(self.api.IsAFunction(value))

    def is_call(self, value: Value) -> bool:
        """True for a call instruction."""
        return bool(self.api.IsACallInst(value))

    def is_inline_assembly(self, value: Value) -> bool:
        """True for a piece of inline assembly (the callee of its call)."""
        return bool(self.api.IsAInlineAsm(value))

    def callee(self, call: Value) -> Value:
        """What a call calls: a function, inline assembly, or a pointer."""
        return int(self.api.GetCalledValue(call))

    def arguments(self, call: Value) -> list[Value]:
        """The arguments of a call in order."""
        return [self.api.GetOperand(call, i) for i in range(self.api.GetNumArgOperands(call))]

    def parent(self, instruction: Value) -> Value:
        """The function an instruction is in."""
        return int(self.api.GetBasicBlockParent(self.api.GetInstructionParent(instruction)))

    def string(self, pointer: Value) -> str | None:
        """The text of the constant that a pointer points to, up to its NUL; None where it is no constant text."""
        found = self.bytes_at(pointer)
        return None if found is None else found.partition(b"\0")[0].decode(errors="replace")

    def bytes_at(self, pointer: Value) -> bytes | None:
        """The bytes of the constant that a pointer points to; None where that is anything else."""
        if not self.api.IsAGlobalVariable(pointer):
            return None
        constant = self.api.GetInitializer(pointer)
        if constant and not self.api.IsAConstantDataArray(constant) and self.api.GetNumOperands(constant) == 1:
            constant = self.api.GetOperand(constant, 0)  # rustc wraps its strings: <{ [n x i8] }>
        return self.bytes_of(constant)

    def bytes_of(self, constant: Value) -> bytes | None:
        """The bytes of an array of bytes; None for any other value."""
        if not constant or not self.api.IsAConstantDataArray(constant) or not self.api.IsConstantString(constant):
            return None
        size = c_size_t()
        return ctypes.string_at(self.api.GetAsString(constant, byref(size)), size.value)

    def users_place(self, instruction: Value) -> str | None:
        """The innermost place in the user's own crate that an instruction comes from; the innermost of all, where it has none.

        What a function of std's was inlined into is more to the point than where in std that stands.  Of two instructions on
        different lines LLVM makes one on line 0: then it is where the function was inlined that they are in.
        """
        on_a_line = next((place for place, line in self._own_places(instruction) if line), None)
        return on_a_line or self.own_place(instruction) or self.place(instruction)

    def own_place(self, instruction: Value) -> str | None:
        """The innermost place in the user's own crate that an instruction comes from; None where it has none."""
        return next((place for place, _ in self._own_places(instruction)), None)

    def _own_places(self, instruction: Value) -> Iterator[tuple[str, int]]:
        """The places in the user's own crate, from the innermost on, and the line of each in the module."""
        location = self.api.InstructionGetDebugLoc(instruction)
        while location:
            file = self.api.DIScopeGetFile(self.api.DILocationGetScope(location))
            if self._text(self.api.DIFileGetDirectory, file) == _USERS_FOLDER:
                line, column = self.api.DILocationGetLine(location), self.api.DILocationGetColumn(location)
                yield self.told(f"{self._text(self.api.DIFileGetFilename, file)}:{line}:{column}"), line
            location = self.api.DILocationGetInlinedAt(location)

    def _text(self, getter: Any, owner: Value) -> str:
        size = c_uint()
        return text(getter(owner, byref(size)), size.value) if owner else ""

    def place(self, instruction: Value) -> str | None:
        """`file:line:column` of an instruction by its debug info; in another's crate: `libm-0.2.16/src/a.rs:3:4`."""
        printed = self.printed_place(instruction)
        folder = self._text(self.api.GetDebugLocDirectory, instruction) if printed else ""
        is_others = folder not in ("", _USERS_FOLDER) and not folder.startswith("/") and not f"{printed}".startswith("/")
        return f"{folder}/{printed}" if is_others else printed

    def printed_place(self, instruction: Value) -> str | None:
        """`file:line:column` of an instruction as LLVM and Enzyme print it: they do not say whose file it is."""
        if not self.api.InstructionGetDebugLoc(instruction):
            return None
        file = self._text(self.api.GetDebugLocFilename, instruction)
        line, column = self.api.GetDebugLocLine(instruction), self.api.GetDebugLocColumn(instruction)
        return self.told(f"{file}:{line}:{column}")

    def scopes(self, instruction: Value) -> list[Value]:
        """The debug info of the scopes an instruction stands in: that of its source, then of what this was inlined into."""
        location = self.location(instruction)
        if location not in self._scopes:
            inlined = self._chain(location, self.api.DILocationGetInlinedAt)
            scopes = map(self.api.DILocationGetScope, inlined)
            self._scopes[location] = [int(self.api.MetadataAsValue(self.context, scope)) for scope in scopes]
        return self._scopes[location]

    def location(self, instruction: Value) -> Value:
        """The debug info of an instruction's place in the source, the same for all that stands there; 0 for none."""
        return int(self.api.InstructionGetDebugLoc(instruction) or 0)

    def subprogram(self, function: Value) -> Value:
        """The debug info of a function, 0 where it has none."""
        metadata = self.api.GetSubprogram(function)
        return int(self.api.MetadataAsValue(self.context, metadata)) if metadata else 0

    def global_debug_info(self, variable: Value) -> list[Value]:
        """The debug info of a global variable: an expression, or one for each part of it that is left."""
        count = c_size_t()
        entries = self.api.GlobalCopyAllMetadata(variable, byref(count))
        kinds = (self.api.ValueMetadataEntriesGetKind(entries, index) for index in range(count.value))
        nodes = [self.api.ValueMetadataEntriesGetMetadata(entries, index) for index, kind in enumerate(kinds) if kind == _DEBUG]
        self.api.DisposeValueMetadataEntries(entries)
        return [int(self.api.MetadataAsValue(self.context, node)) for node in nodes]

    def metadata_operands(self, node: Value) -> list[Value]:
        """The operands of a metadata node, 0 for what is null."""
        if node not in self._operands:
            operands = (c_void_p * self.api.GetMDNodeNumOperands(node))()
            self.api.GetMDNodeOperands(node, operands)
            self._operands[node] = [operand or 0 for operand in operands]
        return self._operands[node]

    def metadata_tag(self, node: Value) -> int:
        """The DWARF tag of a node of debug info."""
        if node not in self._tags:
            self._tags[node] = int(self.api.GetDINodeTag(self.api.ValueAsMetadata(node)))
        return self._tags[node]

    def type_bits(self, node: Value) -> int:
        """The size of a type of debug info, in bits."""
        return int(self.api.DITypeGetSizeInBits(self.api.ValueAsMetadata(node)))

    def type_align(self, node: Value) -> int:
        """The alignment of a type of debug info, in bits; 0 where it is the natural one."""
        return int(self.api.DITypeGetAlignInBits(self.api.ValueAsMetadata(node)))

    def type_offset(self, node: Value) -> int:
        """Where a member of debug info is in its type, in bits."""
        return int(self.api.DITypeGetOffsetInBits(self.api.ValueAsMetadata(node)))

    def subprogram_line(self, subprogram: Value) -> int:
        """The line of a function by its debug info."""
        return int(self.told(f":{self.api.DISubprogramGetLine(self.api.ValueAsMetadata(subprogram))}")[1:])

    def metadata_string(self, node: Value) -> str:
        """The text of a metadata string; empty where it is none."""
        if node not in self._strings:
            size = c_uint()
            self._strings[node] = self.told(text(self.api.GetMDString(node, byref(size)), size.value)) if node else ""
        return self._strings[node]

    def external(self, name: str) -> Value:
        """The external global of that name, declared where it is not: how Enzyme is told an argument's activity.

        Not a metadata string, which Enzyme reads too: as a variadic argument it does not survive bitcode.
        """
        found = self.api.GetNamedGlobal(self.handle, name.encode())
        int32 = self.api.Int32TypeInContext(self.context)
        return int(found or self.api.AddGlobal(self.handle, int32, name.encode()))

    def int64(self, number: int) -> Value:
        """A constant i64."""
        return int(self.api.ConstInt(self.api.Int64TypeInContext(self.context), number, 0))

    def declare(self, name: str, *, variadic: bool = True) -> Value:
        """The function `void name(...)`, or `void name()`, declared where it is not."""
        kind = self.api.FunctionType(self.api.VoidTypeInContext(self.context), None, 0, int(variadic))
        found = self.api.GetNamedFunction(self.handle, name.encode())
        return int(found or self.api.AddFunction(self.handle, name.encode(), kind))

    def call_variadic(self, builder: Value, function: str, arguments: Sequence[Value]) -> None:
        """A call of the variadic function `void function(...)`."""
        kind = self.api.FunctionType(self.api.VoidTypeInContext(self.context), None, 0, 1)
        values = (c_void_p * len(arguments))(*arguments)
        self.api.BuildCall2(builder, kind, self.declare(function), values, len(arguments), b"")

    @contextmanager
    def builder(self) -> Iterator[Value]:
        """What writes instructions, once it has a place."""
        builder = int(self.api.CreateBuilderInContext(self.context))
        try:
            yield builder
        finally:
            self.api.DisposeBuilder(builder)

    @contextmanager
    def before(self, instruction: Value) -> Iterator[Value]:
        """A builder that writes before an instruction, with its debug location."""
        with self.builder() as builder:
            self.api.PositionBuilderBefore(builder, instruction)
            self.api.SetCurrentDebugLocation2(builder, self.api.InstructionGetDebugLoc(instruction))
            yield builder

    @contextmanager
    def after(self, value: Value) -> Iterator[Value]:
        """A builder that writes right after an instruction, or, where the value is a parameter, at the function's begin."""
        if self.api.IsAArgument(value):
            following = next(self.instructions(self.api.GetParamParent(value)))
        else:
            following = self.api.GetNextInstruction(value)
        with self.before(following) as builder:
            yield builder

    def delete_function(self, function: Value) -> None:
        """Take a function out that nothing uses any more."""
        self.api.DeleteFunction(function)

    def drop_global(self, name: str) -> None:
        """Take a global variable out that nothing uses, if there is one of that name."""
        variable = self.api.GetNamedGlobal(self.handle, name.encode())
        if variable:
            self.api.DeleteGlobal(variable)

    def as_text(self) -> str:
        """The module as `llvm-dis` prints it."""
        address = self.api.PrintModuleToString(self.handle)
        printed = text(address)
        self.api.DisposeMessage(address)
        return printed

    def link(self, path: Path) -> None:
        """Take another module in, as `llvm-link` does.  Raises: UserError where the two contradict each other."""
        if self.api.LinkModules2(self.handle, self._parse(path)):
            raise UserError(f"error: LLVM does not link {path}: it defines what another module defines")

    def write(self, path: Path) -> None:
        """Verify the module and write it as bitcode.  Raises: UserError where it is broken: a fault of ours."""
        message = c_void_p()
        if self.api.VerifyModule(self.handle, 2, byref(message)):
            raise UserError(f"error: the rewritten module is broken: {text(message.value)}")
        self.api.DisposeMessage(message)
        if self.api.WriteBitcodeToFile(self.handle, str(path).encode()):
            raise UserError(f"error: {path} cannot be written")

    def _parse(self, path: Path) -> int:
        buffer, message, module = c_void_p(), c_void_p(), c_void_p()
        if self.api.CreateMemoryBufferWithContentsOfFile(str(path).encode(), byref(buffer), byref(message)):
            raise UserError(f"error: {path} cannot be read: {text(message.value)}")
        if path.suffix == ".ll":
            failed = self.api.ParseIRInContext(self.context, buffer, byref(module), byref(message))
        else:
            failed = self.api.ParseBitcodeInContext2(self.context, buffer, byref(module))
        if failed or module.value is None:
            raise UserError(f"error: {path} is no module that this LLVM can read")
        return module.value

    @staticmethod
    def _chain(first: int | None, following: Any) -> Iterator[int]:
        while first:
            after = following(first)
            yield first
            first = after


_READS = re.compile(
    r"Get(?!OrInsert)|Is|Count|TypeOf|Has|ABI|Offset|Struct|Print|Verify|Write|Parse|Context|Dispose|Create|Position|Const|(?:Function|Array)Type"
    r"|\w+TypeInContext|MD(?:String|Node)|ValueAs|ValueMetadata|Metadata|DI|Dbg\w+Get|(?:Global|Instruction)(?:Get|Copy)"
)
"""How the names of the functions begin that change no module."""
_QUICK = re.compile(r"Get|Is|Count|TypeOf|MetadataAs|ValueAs|D[Ib]\w+Get|ConstInt\w+Get")
"""How those begin that are over in no time: for them the interpreter's lock is not given away, which takes longer."""


class Api:
    """The functions of libLLVM by their names, with their types, for one module."""

    def __init__(self, library: ctypes.CDLL, changes: Callable[[str, Sequence[Any]], None]) -> None:
        """`changes` is told, with its arguments, of each function of which the name does not say that it only reads."""
        self._library, self._quick = library, ctypes.PyDLL(library._name)
        self._changes = changes
        self.attributes: dict[str, int] = {}
        """The numbers of LLVM's own attributes that were asked for."""
        self.load(_SIGNATURES)

    def load(self, signatures: Mapping[str, tuple[Any, list[Any]]]) -> None:
        """Make functions of the library known: name without prefix -> type of the result, types of the arguments."""
        known = vars(self)
        for name, (result, arguments) in signatures.items():
            if name not in known:
                function = getattr(self._quick if _QUICK.match(name) else self._library, f"LLVM{name}")
                function.restype, function.argtypes = result, arguments
                known[name] = function if _READS.match(name) else self._changing(name, function)

    def _changing(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self._changes(name, arguments)
            return function(*arguments)

        return call

    def __getattr__(self, name: str) -> Any:  # for the type checker: all names are set above
        raise AttributeError(name)


def load(libllvm: Tool) -> ctypes.CDLL:
    """The library, with its options set: that can be done once in a process.

    Raises: UserError where it is not there.
    """
    return _library(str(libllvm.path))


@cache
def _library(path: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise UserError(f"error: libLLVM cannot be loaded: {error}\n  = help: `./doit doctor` says how to get it") from error
    words = [b"crategrad", *(option.encode() for option in IN_PLACE)]
    parse = library.LLVMParseCommandLineOptions
    parse.restype, parse.argtypes = None, [c_int, POINTER(c_char_p), c_char_p]
    parse(len(words), (c_char_p * len(words))(*words), b"")
    return library


def text(address: int | None, size: int = -1) -> str:
    """The text at an address, up to its NUL or of that size; empty for none."""
    return ctypes.string_at(address, size).decode(errors="replace") if address else ""
