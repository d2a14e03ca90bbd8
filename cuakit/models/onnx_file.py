"""The strings stored in an ONNX file, read without any runtime: OpenVINO does not hand them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

METADATA_PROPS: Final = 14
"""Field number of ``ModelProto.metadata_props`` in onnx.proto."""


def metadata(weights: bytes) -> Mapping[str, str]:
    """Key–value pairs of a model file.

    Args:
        weights: Bytes of an ONNX file.

    Returns:
        Empty when there are none, or when the bytes are no protocol buffer.
    """
    found: dict[str, str] = {}
    try:
        for number, content in _fields(memoryview(weights)):
            if number == METADATA_PROPS:
                entry = dict(_fields(content))
                found[bytes(entry.get(1, b"")).decode()] = bytes(entry.get(2, b"")).decode()
    except (IndexError, ValueError):
        return MappingProxyType({})
    return MappingProxyType(found)


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Length-delimited fields of one message; others are skipped."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError("a field reaches past the end")
            yield key >> 3, data[at : at + size]
            at += size
        elif kind == 0:
            _, at = _varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError(f"wire type {kind}")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")
