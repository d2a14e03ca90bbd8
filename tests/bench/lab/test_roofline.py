"""Operations are counted from shapes, and the nearer roof decides."""

import numpy as np
import pytest

from cuakit.bench.lab.pieces import LINES, SIZE, noise, pieces
from cuakit.bench.lab.roofline import BLOCK, SIDE, Cost, Roofs, network_cost, node_operations, roofs_row


def node(op, ins, outs):
    return {
        "op_name": op,
        "input_type_shape": [{"float": list(s)} for s in ins],
        "output_type_shape": [{"float": list(s)} for s in outs],
    }


@pytest.mark.parametrize(
    ("op", "ins", "outs", "operations"),
    [
        ("Conv", [(1, 3, 8, 8), (16, 3, 3, 3)], [(1, 16, 8, 8)], 2 * 16 * 64 * 27),
        ("Conv", [(1, 16, 8, 8), (16, 1, 3, 3), (16,)], [(1, 16, 8, 8)], 2 * 16 * 64 * 9),  # depthwise
        ("ConvTranspose", [(1, 4, 8, 8), (4, 2, 2, 2)], [(1, 2, 16, 16)], 2 * 4 * 64 * 8),
        ("MatMul", [(2, 5, 7), (7, 3)], [(2, 5, 3)], 2 * 30 * 7),
        ("Relu", [(1, 3, 8, 8)], [(1, 3, 8, 8)], 192),
    ],
)
def test_an_operator_counts_what_it_computes(op, ins, outs, operations):
    assert node_operations(node(op, ins, outs)) == operations


def test_a_network_counts_what_one_real_pass_did():
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper, rng = onnx.helper, np.random.default_rng(0)

    def tensor(name, *shape):
        return onnx.numpy_helper.from_array(rng.random(shape, np.float32), name)

    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "k"], ["c"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("ConvTranspose", ["r", "u"], ["t"], strides=[2, 2]),
            helper.make_node("MatMul", ["t", "w"], ["y"]),
        ],
        "small",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, None, None])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [tensor("k", 4, 3, 3, 3), tensor("u", 4, 2, 2, 2), tensor("w", 16, 5)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    cost = network_cost(model.SerializeToString(), (1, 3, 8, 8))
    products = 2 * 4 * 64 * 27 + 2 * 4 * 64 * 8 + 2 * (2 * 16 * 5) * 16
    assert cost.operations == products + 4 * 64
    conv = 192 + 108 + 256
    transposed = 256 + 32 + 512
    matmul = 512 + 80 + 160
    assert cost.bytes == 4 * (conv + transposed + matmul)
    assert "3 convolutions and products" in cost.how


def test_the_nearer_roof_decides():
    roofs = Roofs(gflops=100, gbytes=10)
    busy, hungry = Cost(1e9, 1e6, ""), Cost(1e6, 1e8, "")
    assert (roofs.bound(busy), roofs.least_ms(busy)) == ("compute", 10)
    assert (roofs.bound(hungry), roofs.least_ms(hungry)) == ("memory", 10)


def test_roofs_are_the_best_of_several_tries():
    found = roofs_row([40.0, 20.0], [8.0, 4.0])
    assert found.gflops == pytest.approx(2 * SIDE**3 / 20e6)
    assert found.gbytes == pytest.approx(2 * BLOCK / 4e6)


def test_every_piece_can_be_counted_and_names_are_unique():
    pytest.importorskip("onnxruntime")
    made = pieces()
    assert len({p.name for p in made}) == len(made)
    for piece in made:
        cost = piece.cost()
        assert cost.operations > 0 < cost.bytes
        assert cost.how


def test_the_input_of_a_network_is_the_same_every_time():
    assert np.array_equal(noise(LINES), noise(LINES))
    assert np.abs(noise((1, 3, *SIZE))).max() <= 1
