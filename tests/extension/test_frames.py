"""Messages come through whole or not at all, and nobody can be made to allocate more than the limits."""

import io
import struct

import pytest
from hypothesis import given, strategies as st

from cuakit.extension.frames import BODY_LIMIT, HEAD_LIMIT, BadFrame, read, write

heads = st.dictionaries(
    st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=20), max_size=5
)


@given(st.lists(st.tuples(heads, st.binary(max_size=200)), max_size=5))
def test_what_is_written_is_read_in_order(messages):
    stream = io.BytesIO()
    for head, body in messages:
        write(stream, head, body)
    stream.seek(0)
    assert [read(stream) for _ in messages] == messages
    assert read(stream) is None


@given(heads, st.binary(min_size=1, max_size=50), st.data())
def test_a_stream_that_breaks_off_is_no_message(head, body, data):
    stream = io.BytesIO()
    write(stream, head, body)
    whole = stream.getvalue()
    with pytest.raises(BadFrame, match="broke off"):
        read(io.BytesIO(whole[: data.draw(st.integers(1, len(whole) - 1))]))


@given(st.binary(min_size=8, max_size=64))
def test_noise_is_a_message_or_refused_and_never_something_else(noise):
    try:
        got = read(io.BytesIO(noise))
    except BadFrame:
        return
    assert isinstance(got[0], dict)


@pytest.mark.parametrize(("head", "body"), [(HEAD_LIMIT + 1, 0), (2**32 - 1, 0), (2, BODY_LIMIT + 1), (1, 0), (0, 0)])
def test_lengths_beyond_the_limits_are_refused_before_anything_is_read(head, body):
    class Stream(io.BytesIO):
        def read(self, size=-1):
            assert size <= 8, "it read on"
            return super().read(size)

    with pytest.raises(BadFrame, match="bytes"):
        read(Stream(struct.pack(">II", head, body)))


@pytest.mark.parametrize("text", [b"[]", b"{", b"NaN ", b"\xff\xfe"])
def test_a_head_that_is_no_object_is_refused(text):
    with pytest.raises(BadFrame):
        read(io.BytesIO(struct.pack(">II", len(text), 0) + text))


def test_what_is_too_long_is_not_sent_at_all():
    stream = io.BytesIO()
    with pytest.raises(BadFrame):
        write(stream, {"x": "y" * HEAD_LIMIT})
    assert stream.getvalue() == b""
