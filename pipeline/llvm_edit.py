"""Rewriting a module by LLVM's C API: attributes, passes on single functions, new instructions."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
from typing import Any

from pipeline.errors import UserError
from pipeline.llvm import Module, Value, text

_FUNCTION = 2**32 - 1  # LLVMAttributeFunctionIndex
_EQUAL = 32  # LLVMIntEQ
_INTERNAL = 8  # LLVMInternalLinkage
_INTEGER, _STRUCT = 8, 10  # LLVMTypeKind

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "GetEnumAttributeKindForName": (c_uint, [c_char_p, c_size_t]),
    "CreateEnumAttribute": (c_void_p, [c_void_p, c_uint, c_ulonglong]),
    "AddAttributeAtIndex": (None, [c_void_p, c_uint, c_void_p]),
    "RemoveEnumAttributeAtIndex": (None, [c_void_p, c_uint, c_uint]),
    "GetEnumAttributeAtIndex": (c_void_p, [c_void_p, c_uint, c_uint]),
    "GetCallSiteEnumAttribute": (c_void_p, [c_void_p, c_uint, c_uint]),
    "RemoveCallSiteEnumAttribute": (None, [c_void_p, c_uint, c_uint]),
    "CreatePassBuilderOptions": (c_void_p, []),
    "PassBuilderOptionsSetLoopVectorization": (None, [c_void_p, c_int]),
    "PassBuilderOptionsSetLoopInterleaving": (None, [c_void_p, c_int]),
    "DisposePassBuilderOptions": (None, [c_void_p]),
    "RunPasses": (c_void_p, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "RunPassesOnFunction": (c_void_p, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "GetErrorMessage": (c_void_p, [c_void_p]),
    "GlobalGetValueType": (c_void_p, [c_void_p]),
    "GetCalledFunctionType": (c_void_p, [c_void_p]),
    "GetReturnType": (c_void_p, [c_void_p]),
    "CountParamTypes": (c_uint, [c_void_p]),
    "GetParamTypes": (None, [c_void_p, POINTER(c_void_p)]),
    "GetTypeKind": (c_int, [c_void_p]),
    "GetIntTypeWidth": (c_uint, [c_void_p]),
    "CountStructElementTypes": (c_uint, [c_void_p]),
    "GetStructElementTypes": (None, [c_void_p, POINTER(c_void_p)]),
    "TypeOf": (c_void_p, [c_void_p]),
    "PointerTypeInContext": (c_void_p, [c_void_p, c_uint]),
    "IntTypeInContext": (c_void_p, [c_void_p, c_uint]),
    "Int8TypeInContext": (c_void_p, [c_void_p]),
    "IsALoadInst": (c_void_p, [c_void_p]),
    "IsAStoreInst": (c_void_p, [c_void_p]),
    "IsAPHINode": (c_void_p, [c_void_p]),
    "IsASelectInst": (c_void_p, [c_void_p]),
    "IsConstant": (c_int, [c_void_p]),
    "CountIncoming": (c_uint, [c_void_p]),
    "GetIncomingValue": (c_void_p, [c_void_p, c_uint]),
    "GetIncomingBlock": (c_void_p, [c_void_p, c_uint]),
    "AddIncoming": (None, [c_void_p, POINTER(c_void_p), POINTER(c_void_p), c_uint]),
    "BuildPhi": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "BuildSelect": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_char_p]),
    "ConstBitCast": (c_void_p, [c_void_p, c_void_p]),
    "GetPoison": (c_void_p, [c_void_p]),
    "FloatTypeInContext": (c_void_p, [c_void_p]),
    "DoubleTypeInContext": (c_void_p, [c_void_p]),
    "IsATruncInst": (c_void_p, [c_void_p]),
    "IsAZExtInst": (c_void_p, [c_void_p]),
    "IsABinaryOperator": (c_void_p, [c_void_p]),
    "IsAConstantInt": (c_void_p, [c_void_p]),
    "ConstIntGetZExtValue": (c_ulonglong, [c_void_p]),
    "GetVolatile": (c_int, [c_void_p]),
    "GetOrdering": (c_int, [c_void_p]),
    "GetAlignment": (c_uint, [c_void_p]),
    "SetAlignment": (None, [c_void_p, c_uint]),
    "GetParam": (c_void_p, [c_void_p, c_uint]),
    "SetLinkage": (None, [c_void_p, c_int]),
    "AppendBasicBlockInContext": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "PositionBuilderAtEnd": (None, [c_void_p, c_void_p]),
    "BuildLoad2": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildStore": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "BuildInBoundsGEP2": (c_void_p, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p), c_uint, c_char_p]),
    "BuildICmp": (c_void_p, [c_void_p, c_int, c_void_p, c_void_p, c_char_p]),
    "BuildCondBr": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "BuildRet": (c_void_p, [c_void_p, c_void_p]),
    "BuildRetVoid": (c_void_p, [c_void_p]),
    "BuildUnreachable": (c_void_p, [c_void_p]),
    "ReplaceAllUsesWith": (None, [c_void_p, c_void_p]),
}


class Editor:
    """What changes a module.  Handles are those of the module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.api = module.api
        self.api.load(_SIGNATURES)

    # ---- attributes

    def has_attribute(self, function: Value, name: str) -> bool:
        """True where the function itself has the attribute (`noreturn` …)."""
        return bool(self.api.GetEnumAttributeAtIndex(function, _FUNCTION, self._kind(name)))

    def parameter_has_attribute(self, function: Value, position: int, name: str) -> bool:
        """True where the parameter has the attribute (`sret` …)."""
        return bool(self.api.GetEnumAttributeAtIndex(function, 1 + position, self._kind(name)))

    def call_has_attribute(self, call: Value, name: str) -> bool:
        """True where the call itself has the attribute."""
        return bool(self.api.GetCallSiteEnumAttribute(call, _FUNCTION, self._kind(name)))

    def add_attribute(self, function: Value, name: str) -> None:
        """Give the function an attribute without a value."""
        attribute = self.api.CreateEnumAttribute(self.module.context, self._kind(name), 0)
        self.api.AddAttributeAtIndex(function, _FUNCTION, attribute)

    def drop_attributes(self, function: Value, *names: str) -> None:
        """Take attributes off the function."""
        for name in names:
            self.api.RemoveEnumAttributeAtIndex(function, _FUNCTION, self._kind(name))

    def drop_parameter_attributes(self, function: Value, *names: str) -> None:
        """Take attributes off all parameters of the function."""
        for index in range(1, 1 + len(self.parameter_types(self.function_type(function)))):
            for name in names:
                self.api.RemoveEnumAttributeAtIndex(function, index, self._kind(name))

    def drop_call_attributes(self, call: Value, *names: str) -> None:
        """Take attributes off the call."""
        for name in names:
            self.api.RemoveCallSiteEnumAttribute(call, _FUNCTION, self._kind(name))

    # ---- types

    def function_type(self, function: Value) -> Value:
        """The type of a function; two functions of the same type have the same handle here."""
        return int(self.api.GlobalGetValueType(function))

    def called_type(self, call: Value) -> Value:
        """The function type that a call calls."""
        return int(self.api.GetCalledFunctionType(call))

    def parameter_types(self, function_type: Value) -> list[Value]:
        """The types of the parameters."""
        types = (c_void_p * self.api.CountParamTypes(function_type))()
        self.api.GetParamTypes(function_type, types)
        return [int(ty or 0) for ty in types]

    def return_type(self, function_type: Value) -> Value:
        """The type of what is returned."""
        return int(self.api.GetReturnType(function_type))

    def integer_bits(self, ty: Value) -> int:
        """The width of an integer type; 0 for any other."""
        return int(self.api.GetIntTypeWidth(ty)) if self.api.GetTypeKind(ty) == _INTEGER else 0

    def members(self, ty: Value) -> list[Value]:
        """The types in a struct type; the type itself where it is none."""
        if self.api.GetTypeKind(ty) != _STRUCT:
            return [ty]
        types = (c_void_p * self.api.CountStructElementTypes(ty))()
        self.api.GetStructElementTypes(ty, types)
        return [int(member or 0) for member in types]

    def integer(self, bits: int) -> Value:
        """The integer type of that width."""
        return int(self.api.IntTypeInContext(self.module.context, bits))

    def float_type_of(self, value: Value) -> Value:
        """The float type as wide as an integer value, 0 for other values."""
        floats = {32: self.api.FloatTypeInContext, 64: self.api.DoubleTypeInContext}
        bits = self.integer_bits(self.api.TypeOf(value))
        return int(floats[bits](self.module.context)) if bits in floats else 0

    def is_plain_load(self, instruction: Value) -> bool:
        """True for a load that is neither volatile nor atomic."""
        return bool(self.api.IsALoadInst(instruction)) and self._is_plain(instruction)

    def is_plain_store(self, instruction: Value) -> bool:
        """True for a store that is neither volatile nor atomic."""
        return bool(self.api.IsAStoreInst(instruction)) and self._is_plain(instruction)

    def is_constant(self, value: Value) -> bool:
        """True for a constant."""
        return bool(self.api.IsConstant(value))

    def is_choice(self, value: Value) -> bool:
        """True for a phi or a select."""
        return bool(self.api.IsAPHINode(value) or self.api.IsASelectInst(value))

    def chosen(self, choice: Value) -> list[Value]:
        """What a phi or a select chooses from."""
        if self.api.IsASelectInst(choice):
            return [int(self.api.GetOperand(choice, index)) for index in (1, 2)]
        return [int(self.api.GetIncomingValue(choice, index)) for index in range(self.api.CountIncoming(choice))]

    def add_incoming(self, phi: Value, values: Sequence[Value], like: Value) -> None:
        """Give a phi its values, from the blocks that another phi has its own from."""
        blocks = [self.api.GetIncomingBlock(like, index) for index in range(len(values))]
        array = c_void_p * len(values)
        self.api.AddIncoming(phi, array(*values), array(*blocks), len(values))

    def _is_plain(self, access: Value) -> bool:
        return not self.api.GetVolatile(access) and not self.api.GetOrdering(access)

    # ---- passes

    def run_passes(self, passes: str, function: Value = 0) -> None:
        """Run LLVM passes on one function, or on the module; nothing is vectorised.

        Raises: UserError where LLVM refuses them: a fault of ours.
        """
        options = self.api.CreatePassBuilderOptions()
        self.api.PassBuilderOptionsSetLoopVectorization(options, 0)
        self.api.PassBuilderOptionsSetLoopInterleaving(options, 0)
        try:
            run, target = (self.api.RunPassesOnFunction, function) if function else (self.api.RunPasses, self.module.handle)
            error = run(target, passes.encode(), None, options)
        finally:
            self.api.DisposePassBuilderOptions(options)
        if error:
            raise UserError(f"error: LLVM does not run `{passes}`: {text(self.api.GetErrorMessage(error))}")

    # ---- instructions

    def address(self, builder: Value, pointer: Value, offset: int) -> Value:
        """`pointer` moved by that many bytes."""
        if not offset:
            return pointer
        indices = (c_void_p * 1)(self.module.int64(offset))
        return int(
            self.api.BuildInBoundsGEP2(builder, self.api.Int8TypeInContext(self.module.context), pointer, indices, 1, b"")
        )

    def call(self, builder: Value, ty: Value, function: Value, arguments: Sequence[Value]) -> Value:
        """A call of a function of type `ty`."""
        values = (c_void_p * len(arguments))(*arguments)
        return int(self.api.BuildCall2(builder, ty, function, values, len(arguments), b""))

    def replace(self, instruction: Value, by: Value) -> None:
        """Put a value in the place of an instruction."""
        self.api.ReplaceAllUsesWith(instruction, by)
        self.api.InstructionEraseFromParent(instruction)

    def compare_and_call(self, name: str, ty: Value, candidates: Sequence[Value]) -> Value:
        """A new internal function: given a function's address and arguments of the function type `ty`, it calls the
        candidate that has this address, and traps where none has.
        """
        api, context = self.api, self.module.context
        result, parameters = self.return_type(ty), self.parameter_types(ty)
        pointer = api.PointerTypeInContext(context, 0)
        types = (c_void_p * (1 + len(parameters)))(pointer, *parameters)
        function = api.AddFunction(self.module.handle, name.encode(), api.FunctionType(result, types, len(types), 0))
        api.SetLinkage(function, _INTERNAL)
        arguments = [api.GetParam(function, index) for index in range(1, len(types))]
        trap = self.module.declare("llvm.trap", variadic=False)
        with self.module.builder() as builder:
            api.PositionBuilderAtEnd(builder, api.AppendBasicBlockInContext(context, function, b""))
            for candidate in candidates:
                found, next_one = (api.AppendBasicBlockInContext(context, function, b"") for _ in range(2))
                equal = api.BuildICmp(builder, _EQUAL, api.GetParam(function, 0), candidate, b"")
                api.BuildCondBr(builder, equal, found, next_one)
                api.PositionBuilderAtEnd(builder, found)
                returned = self.call(builder, ty, candidate, arguments)
                api.BuildRetVoid(builder) if result == api.VoidTypeInContext(context) else api.BuildRet(builder, returned)
                api.PositionBuilderAtEnd(builder, next_one)
            self.call(builder, self.function_type(trap), trap, [])
            api.BuildUnreachable(builder)
        return int(function)

    def _kind(self, name: str) -> int:
        kind = int(self.api.GetEnumAttributeKindForName(name.encode(), len(name)))
        assert kind, f"LLVM knows no attribute `{name}`"
        return kind
