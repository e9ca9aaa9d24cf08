"""LLVM's C API by ctypes: just what the stages need to read and rewrite a module.

llvmlite reads modules but cannot change calls and signatures; the C API of the libLLVM that `opt` itself loads can.
Handles are plain integers; a function here is named as LLVM names it, without the prefix.
See https://llvm.org/doxygen/group__LLVMC.html.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_ulonglong, c_ushort, c_void_p
from pathlib import Path
from typing import Any

from pipeline.errors import UserError
from pipeline.toolchain import Tool

Value = int
"""A handle of an LLVM value; 0 is none."""

_ALL = 2**32 - 1  # LLVMAttributeFunctionIndex

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "ContextCreate": (c_void_p, []),
    "ContextDispose": (None, [c_void_p]),
    "ContextSetDiagnosticHandler": (None, [c_void_p, c_void_p, c_void_p]),
    "CreateMemoryBufferWithContentsOfFile": (c_int, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "ParseBitcodeInContext2": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "DisposeModule": (None, [c_void_p]),
    "DisposeMessage": (None, [c_void_p]),
    "WriteBitcodeToFile": (c_int, [c_void_p, c_char_p]),
    "VerifyModule": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "GetNamedGlobal": (c_void_p, [c_void_p, c_char_p]),
    "DeleteGlobal": (None, [c_void_p]),
    "AddGlobal": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "GetFirstFunction": (c_void_p, [c_void_p]),
    "GetNextFunction": (c_void_p, [c_void_p]),
    "IsAConstantDataArray": (c_void_p, [c_void_p]),
    "GetNamedFunction": (c_void_p, [c_void_p, c_char_p]),
    "AddFunction": (c_void_p, [c_void_p, c_char_p, c_void_p]),
    "DeleteFunction": (None, [c_void_p]),
    "GetValueName2": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "IsDeclaration": (c_int, [c_void_p]),
    "GetFirstUse": (c_void_p, [c_void_p]),
    "GetNextUse": (c_void_p, [c_void_p]),
    "GetUser": (c_void_p, [c_void_p]),
    "GetFirstBasicBlock": (c_void_p, [c_void_p]),
    "GetNextBasicBlock": (c_void_p, [c_void_p]),
    "GetFirstInstruction": (c_void_p, [c_void_p]),
    "GetNextInstruction": (c_void_p, [c_void_p]),
    "GetInstructionParent": (c_void_p, [c_void_p]),
    "GetBasicBlockParent": (c_void_p, [c_void_p]),
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
    "GetDebugLocFilename": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "InstructionGetDebugLoc": (c_void_p, [c_void_p]),
    "GetSubprogram": (c_void_p, [c_void_p]),
    "MetadataAsValue": (c_void_p, [c_void_p, c_void_p]),
    "ValueAsMetadata": (c_void_p, [c_void_p]),
    "GetDINodeTag": (c_ushort, [c_void_p]),
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

# Without a handler LLVM prints an error of its own and ends the whole process.
_SILENT = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)(lambda _diagnostic, _context: None)


class Module:
    """A module in memory, in a context of its own; use it in a `with` block."""

    def __init__(self, libllvm: Tool, path: Path) -> None:
        """Read bitcode.  Raises: UserError where the library or the module cannot be read."""
        self._api = _Api(libllvm)
        self._context = self._api.ContextCreate()
        self._api.ContextSetDiagnosticHandler(self._context, ctypes.cast(_SILENT, c_void_p), None)
        self._module = self._parse(path)

    def __enter__(self) -> Module:
        return self

    def __exit__(self, *_: object) -> None:
        self._api.DisposeModule(self._module)
        self._api.ContextDispose(self._context)

    def functions(self) -> Iterator[Value]:
        """All functions, declarations included."""
        return self._chain(self._api.GetFirstFunction(self._module), self._api.GetNextFunction)

    def instructions(self, function: Value) -> Iterator[Value]:
        """All instructions of a function's body."""
        for block in self._chain(self._api.GetFirstBasicBlock(function), self._api.GetNextBasicBlock):
            yield from self._chain(self._api.GetFirstInstruction(block), self._api.GetNextInstruction)

    def name(self, value: Value) -> str:
        """The value's name in the module; empty where it has none."""
        size = c_size_t()
        return _text(self._api.GetValueName2(value, byref(size)), size.value)

    def users(self, value: Value) -> list[Value]:
        """Everything that has the value as an operand."""
        uses = self._chain(self._api.GetFirstUse(value), self._api.GetNextUse)
        return [self._api.GetUser(use) for use in uses]

    def is_defined(self, value: Value) -> bool:
        """True for a function that has a body here."""
        return bool(self._api.IsAFunction(value)) and not self._api.IsDeclaration(value)

    def is_function(self, value: Value) -> bool:
        """True for a function, with or without a body."""
        return bool(self._api.IsAFunction(value))

    def is_call(self, value: Value) -> bool:
        """True for a call instruction."""
        return bool(self._api.IsACallInst(value))

    def is_inline_assembly(self, value: Value) -> bool:
        """True for a piece of inline assembly (the callee of its call)."""
        return bool(self._api.IsAInlineAsm(value))

    def callee(self, call: Value) -> Value:
        """What a call calls: a function, inline assembly, or a pointer."""
        return int(self._api.GetCalledValue(call))

    def arguments(self, call: Value) -> list[Value]:
        """The arguments of a call in order."""
        return [self._api.GetOperand(call, i) for i in range(self._api.GetNumArgOperands(call))]

    def parent(self, instruction: Value) -> Value:
        """The function an instruction is in."""
        return int(self._api.GetBasicBlockParent(self._api.GetInstructionParent(instruction)))

    def string(self, pointer: Value) -> str | None:
        """The text of the constant that a pointer points to, up to its NUL; None where it is no constant text."""
        if not self._api.IsAGlobalVariable(pointer):
            return None
        constant = self._api.GetInitializer(pointer)
        if constant and not self._api.IsAConstantDataArray(constant) and self._api.GetNumOperands(constant) == 1:
            constant = self._api.GetOperand(constant, 0)  # rustc wraps its strings: <{ [n x i8] }>
        if not constant or not self._api.IsAConstantDataArray(constant) or not self._api.IsConstantString(constant):
            return None
        size = c_size_t()
        return _text(self._api.GetAsString(constant, byref(size)), size.value).partition("\0")[0]

    def place(self, instruction: Value) -> str | None:
        """`file:line:column` of an instruction by its debug info."""
        if not self._api.InstructionGetDebugLoc(instruction):
            return None
        size = c_uint()
        file = _text(self._api.GetDebugLocFilename(instruction, byref(size)), size.value)
        return f"{file}:{self._api.GetDebugLocLine(instruction)}:{self._api.GetDebugLocColumn(instruction)}"

    def subprogram(self, function: Value) -> Value:
        """The debug info of a function, 0 where it has none."""
        metadata = self._api.GetSubprogram(function)
        return int(self._api.MetadataAsValue(self._context, metadata)) if metadata else 0

    def metadata_operands(self, node: Value) -> list[Value]:
        """The operands of a metadata node, 0 for what is null."""
        operands = (c_void_p * self._api.GetMDNodeNumOperands(node))()
        self._api.GetMDNodeOperands(node, operands)
        return [operand or 0 for operand in operands]

    def metadata_tag(self, node: Value) -> int:
        """The DWARF tag of a node of debug info."""
        return int(self._api.GetDINodeTag(self._api.ValueAsMetadata(node)))

    def metadata_string(self, node: Value) -> str:
        """The text of a metadata string; empty where it is none."""
        size = c_uint()
        return _text(self._api.GetMDString(node, byref(size)), size.value) if node else ""

    def external(self, name: str) -> Value:
        """The external global of that name, declared where it is not: how Enzyme is told an argument's activity.

        Not a metadata string, which Enzyme reads too: as a variadic argument it does not survive bitcode.
        """
        found = self._api.GetNamedGlobal(self._module, name.encode())
        int32 = self._api.Int32TypeInContext(self._context)
        return int(found or self._api.AddGlobal(self._module, int32, name.encode()))

    def int64(self, number: int) -> Value:
        """A constant i64."""
        return int(self._api.ConstInt(self._api.Int64TypeInContext(self._context), number, 0))

    def declare(self, name: str) -> Value:
        """The variadic function `void name(...)`, declared where it is not."""
        kind = self._api.FunctionType(self._api.VoidTypeInContext(self._context), None, 0, 1)
        found = self._api.GetNamedFunction(self._module, name.encode())
        return int(found or self._api.AddFunction(self._module, name.encode(), kind))

    def replace_call(self, call: Value, function: str, arguments: Sequence[Value]) -> None:
        """Put a call of the variadic function `void function(...)` in the place of `call`, with its debug location."""
        callee = self.declare(function)
        kind = self._api.FunctionType(self._api.VoidTypeInContext(self._context), None, 0, 1)
        builder = self._api.CreateBuilderInContext(self._context)
        self._api.PositionBuilderBefore(builder, call)
        self._api.SetCurrentDebugLocation2(builder, self._api.InstructionGetDebugLoc(call))
        values = (c_void_p * len(arguments))(*arguments)
        self._api.BuildCall2(builder, kind, callee, values, len(arguments), b"")
        self._api.DisposeBuilder(builder)
        self._api.InstructionEraseFromParent(call)

    def delete_function(self, function: Value) -> None:
        """Take a function out that nothing uses any more."""
        self._api.DeleteFunction(function)

    def drop_global(self, name: str) -> None:
        """Take a global variable out that nothing uses, if there is one of that name."""
        variable = self._api.GetNamedGlobal(self._module, name.encode())
        if variable:
            self._api.DeleteGlobal(variable)

    def write(self, path: Path) -> None:
        """Verify the module and write it as bitcode.  Raises: UserError where it is broken: a fault of ours."""
        message = c_void_p()
        if self._api.VerifyModule(self._module, 2, byref(message)):
            raise UserError(f"error: the rewritten module is broken: {_text(message.value)}")
        self._api.DisposeMessage(message)
        if self._api.WriteBitcodeToFile(self._module, str(path).encode()):
            raise UserError(f"error: {path} cannot be written")

    def _parse(self, path: Path) -> int:
        buffer, message, module = c_void_p(), c_void_p(), c_void_p()
        if self._api.CreateMemoryBufferWithContentsOfFile(str(path).encode(), byref(buffer), byref(message)):
            raise UserError(f"error: {path} cannot be read: {_text(message.value)}")
        if self._api.ParseBitcodeInContext2(self._context, buffer, byref(module)) or module.value is None:
            raise UserError(f"error: {path} is no bitcode that this LLVM can read")
        return module.value

    @staticmethod
    def _chain(first: int | None, following: Any) -> Iterator[int]:
        while first:
            after = following(first)
            yield first
            first = after


class _Api:
    """The functions of libLLVM by their names, with their types."""

    def __init__(self, libllvm: Tool) -> None:
        try:
            library = ctypes.CDLL(str(libllvm.path))
        except OSError as error:
            raise UserError(
                f"error: libLLVM cannot be loaded: {error}\n  = help: `./doit doctor` says how to get it"
            ) from error
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, f"LLVM{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # for the type checker: all names are set above
        raise AttributeError(name)


def _text(address: int | None, size: int = -1) -> str:
    return ctypes.string_at(address, size).decode(errors="replace") if address else ""
