"""Our D-Bus messages against those of an independent client."""

import struct
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st
from jeepney import DBusAddress, HeaderFields, new_error, new_method_call, new_method_return, new_signal
from jeepney.low_level import Parser

from cuakit.backends.dbus_wire import ERROR, METHOD_RETURN, SIGNAL, WireError, decode, encode, encode_call, split, take

texts = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=20)
FIXED = {
    "y": st.integers(0, 255),
    "b": st.booleans(),
    "n": st.integers(-(2**15), 2**15 - 1),
    "q": st.integers(0, 2**16 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "u": st.integers(0, 2**32 - 1),
    "x": st.integers(-(2**63), 2**63 - 1),
    "t": st.integers(0, 2**64 - 1),
    "d": st.floats(allow_nan=False),
    "s": texts,
}


def typed(kind, value):
    return value.map(lambda v: (kind, v))


single = st.one_of(*(typed(kind, value) for kind, value in FIXED.items()))


def containers(inner):
    arrays = inner.flatmap(lambda one: st.integers(0, 4).map(lambda n: ("a" + one[0], [one[1]] * n)))
    structs = st.lists(inner, min_size=1, max_size=3).map(
        lambda many: ("(" + "".join(k for k, _ in many) + ")", tuple(v for _, v in many))
    )
    variants = inner.map(lambda one: ("v", one))
    return st.one_of(arrays, structs, variants)


values = st.recursive(single, containers, max_leaves=6).filter(
    lambda one: (
        "ay" not in one[0] and "ay" not in repr(one[1])
    )  # the other client reads an empty array of bytes as bytes
)
bodies = st.lists(values, min_size=1, max_size=4)


def other_body(message):
    (parsed,) = feed(message)
    return parsed.body


def feed(data):
    parser = Parser()
    parser.add_data(data)
    found = []
    while (message := parser.get_next_message()) is not None:
        found.append(message)
    return found


@given(bodies)
def test_what_is_encoded_decodes_to_the_same(body):
    signature, items = "".join(k for k, _ in body), [v for _, v in body]
    assert decode(signature, encode(signature, items)) == tuple(items)


@given(bodies, st.integers(1, 2**32 - 1))
def test_another_client_reads_our_calls(body, serial):
    signature, items = "".join(k for k, _ in body), [v for _, v in body]
    data = encode_call(serial, ":1.5", "/a/b", "c.d.E", "Do", signature, items)
    (message,) = feed(data)
    assert message.header.serial == serial
    assert message.header.fields[HeaderFields.path] == "/a/b"
    assert message.header.fields[HeaderFields.destination] == ":1.5"
    assert message.header.fields[HeaderFields.interface] == "c.d.E"
    assert message.header.fields[HeaderFields.member] == "Do"
    assert message.body == tuple(items)


@given(bodies)
def test_we_read_another_client_s_replies(body):
    signature, items = "".join(k for k, _ in body), tuple(v for _, v in body)
    call = new_method_call(DBusAddress("/a", ":1.5", "c.d.E"), "Do")
    call.header.serial = 77
    reply = new_method_return(call, signature, items)
    buffer = bytearray(reply.serialise(serial=3))
    (message,) = take(buffer)
    assert (message.kind, message.reply_serial, message.signature) == (METHOD_RETURN, 77, signature)
    assert message.body() == items
    assert not buffer


def test_an_error_has_its_name_and_words():
    call = new_method_call(DBusAddress("/a", ":1.5", "c.d.E"), "Do")
    call.header.serial = 9
    (message,) = take(bytearray(new_error(call, "org.x.Failed", "s", ("no",)).serialise(serial=3)))
    assert (message.kind, message.error_name, message.body()) == (ERROR, "org.x.Failed", ("no",))


def test_a_signal_answers_nothing():
    (message,) = take(bytearray(new_signal(DBusAddress("/a", interface="c.d.E"), "Did").serialise(serial=3)))
    assert (message.kind, message.reply_serial) == (SIGNAL, 0)


@given(st.lists(st.integers(1, 200), max_size=6))
def test_messages_are_cut_from_the_stream_however_it_arrives(cuts):
    call = new_method_call(DBusAddress("/a", ":1.5", "c.d.E"), "Do")
    call.header.serial = 1
    stream = b"".join(new_method_return(call, "s", (f"n{i}",)).serialise(serial=i + 1) for i in range(3))
    buffer, found, at = bytearray(), [], 0
    for cut in [*cuts, len(stream)]:
        buffer += stream[at : at + cut]
        at += cut
        found += [message.body()[0] for message in take(buffer)]
    assert found == ["n0", "n1", "n2"]
    assert not buffer


@given(st.binary(min_size=16, max_size=200))
def test_noise_is_an_error_or_waits_for_more_and_never_anything_else(noise):
    try:
        for message in take(bytearray(noise)):
            message.body()
    except WireError:
        pass


@given(bodies, st.data())
def test_a_damaged_body_is_an_error_or_other_values(body, data):
    signature, items = "".join(k for k, _ in body), [v for _, v in body]
    raw = encode(signature, items)
    cut = data.draw(st.integers(0, max(0, len(raw) - 1)))
    with suppress(WireError):
        decode(signature, raw[:cut])


def test_big_endian_senders_are_understood():
    raw = struct.pack(">I", 3) + b"abc\0" + struct.pack(">i", -5)
    assert decode("si", raw, ">") == ("abc", -5)


@pytest.mark.parametrize(("signature", "body"), [("u", [-1]), ("s", [3]), ("us", [1]), ("y", [256]), ("(ii)", [(1,)])])
def test_values_that_do_not_fit_are_refused(signature, body):
    with pytest.raises(WireError):
        encode(signature, body)


@pytest.mark.parametrize("wrong", ["(", "a", "(ii", "z", ")", "{s"])
def test_a_signature_that_is_none_is_refused(wrong):
    with pytest.raises(WireError):
        split(wrong)


def test_a_message_that_claims_to_be_huge_is_refused():
    head = struct.pack("<cBBBIII", b"l", 2, 0, 1, 1 << 30, 1, 0)
    with pytest.raises(WireError, match="longer"):
        list(take(bytearray(head)))
