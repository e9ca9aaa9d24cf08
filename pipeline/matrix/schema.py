"""The JSON Schema of matrix.yaml, for editors; `python -m pipeline.matrix.schema` writes configs/matrix.schema.json."""

from __future__ import annotations

import json
from typing import Any

from pipeline import config
from pipeline.matrix.reading import CONFIG, NAME

FILE = config.MATRIX.with_name("matrix.schema.json")

_OF_CONFIG = {"type": "string", "minLength": 1, "description": "The config a cell starts from: a shipped name or a path."}
_FLAG = {"^enzyme\\.flags\\.enzyme-": {"type": ["boolean", "number", "string"]}}


def json_schema() -> dict[str, Any]:
    """The schema, made of that of a config: its keys, dotted."""
    keys = {CONFIG: _OF_CONFIG, **config.settable()}
    axes = {name: {"type": "array", "minItems": 1, "uniqueItems": True, "items": schema} for name, schema in keys.items()}
    flags = {name: {"type": "array", "minItems": 1, "items": schema} for name, schema in _FLAG.items()}
    settings = {"type": "object", "properties": keys, "patternProperties": _FLAG, "additionalProperties": False}
    some = {"type": "array", "items": {"$ref": "#/$defs/settings"}}
    cell = {"anyOf": [{"$ref": "#/$defs/settings"}, {"type": "null"}]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A matrix of Crategrad",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "axes": {
                "description": "Every combination of their values is a cell.",
                "type": "object",
                "properties": axes,
                "patternProperties": flags,
                "additionalProperties": False,
            },
            "include": {"description": "More settings for the cells that fit, or a cell more.", **some},
            "exclude": {"description": "Which cells of the axes are left out.", **some},
            "cells": {
                "description": "Cells by name.",
                "type": "object",
                "patternProperties": {NAME: cell},
                "additionalProperties": False,
            },
        },
        "$defs": {"settings": settings},
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
