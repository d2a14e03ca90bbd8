import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cuakit.core.geometry import Affine, Box, Point, iou_matrix, nms
from tests.strategies import SCALES, affines, boxes, coordinates, fractions, points, solid_boxes


def close(a: Point, b: Point, tolerance: float = 1e-6) -> bool:
    size = 1 + max(map(abs, (a.x, a.y, b.x, b.y)))
    return abs(a.x - b.x) <= tolerance * size and abs(a.y - b.y) <= tolerance * size


@given(boxes, boxes)
def test_intersection_is_the_largest_box_inside_both(a, b):
    shared = a.intersect(b)
    if shared.area:
        assert a.contains(shared)
        assert b.contains(shared)
    assert shared.area == b.intersect(a).area


@given(boxes, boxes)
def test_union_holds_both_and_nothing_smaller_does(a, b):
    whole = a.union(b)
    assert whole.contains(a)
    assert whole.contains(b)
    assert whole == b.union(a)
    assert {whole.left, whole.top} <= {a.left, b.left, a.top, b.top}


@given(boxes, boxes)
def test_iou_is_symmetric_bounded_and_one_only_for_equal_boxes(a, b):
    overlap = a.iou(b)
    assert 0 <= overlap <= 1
    assert overlap == b.iou(a)
    assert a.area == 0 or a.iou(a) == 1


def test_touching_boxes_do_not_overlap():
    assert Box(0, 0, 4, 4).iou(Box(4, 0, 8, 4)) == 0
    assert not Box(0, 0, 4, 4).contains(Point(4, 2))


@given(solid_boxes)
def test_centre_lies_inside_and_far_edges_do_not(box):
    assert box.contains(box.center)
    assert box.contains(Point(box.left, box.top))
    assert not box.contains(Point(box.right, box.bottom))


@given(solid_boxes, fractions, fractions)
def test_fractions_never_leave_the_closed_box(box, fx, fy):
    point = box.at(fx, fy)
    assert box.left - 1e-6 <= point.x <= box.right + 1e-6
    assert box.top - 1e-6 <= point.y <= box.bottom + 1e-6


@given(solid_boxes, st.floats(-1000, 1000))
def test_padding_keeps_the_centre_and_never_turns_a_box_inside_out(box, by):
    padded = box.pad(by)
    assert padded.width >= 0
    assert padded.height >= 0
    assert close(padded.center, box.center)


@given(boxes, st.floats(1, 4096), st.floats(1, 4096))
def test_clipping_stays_in_the_frame(box, width, height):
    clipped = box.clip(width, height)
    assert clipped.left >= 0
    assert clipped.top >= 0
    assert clipped.area == 0 or (clipped.right <= width and clipped.bottom <= height)


@given(boxes)
def test_rounding_outwards_covers_the_box(box):
    left, top, right, bottom = box.rounded()
    assert Box(left, top, right, bottom).contains(box)
    assert right - left < box.width + 2


@pytest.mark.parametrize("bad", [(0, 0, -1, 1), (0, 0, 1, -1), (math.nan, 0, 1, 1), (0, 0, math.inf, 1)])
def test_impossible_boxes_cannot_be_made(bad):
    with pytest.raises(ValueError, match="box"):
        Box(*bad)


@given(affines, points)
def test_inverse_undoes_a_map(map_, point):
    assert close(map_.inverse().apply(map_.apply(point)), point, 1e-4)


@given(affines, affines, points)
def test_then_is_one_map_after_the_other(first, second, point):
    assert close(first.then(second).apply(point), second.apply(first.apply(point)), 1e-9)


@given(affines, affines, affines, points)
def test_composition_is_associative(a, b, c, point):
    assert close(a.then(b).then(c).apply(point), a.then(b.then(c)).apply(point), 1e-6)


@given(affines, points)
def test_identity_changes_nothing(map_, point):
    assert Affine().apply(point) == point
    assert map_.then(Affine()) == map_ == Affine().then(map_)


@given(affines, solid_boxes)
def test_mapped_box_holds_the_mapped_centre(map_, box):
    assert map_.apply_box(box).pad(1e-6 * 4096 * 8).contains(map_.apply(box.center))


@pytest.mark.parametrize("scale", SCALES)
@given(coordinates, coordinates)
def test_pixels_and_input_space_round_trip_at_every_display_scale(scale, x, y):
    to_input = Affine.scaling(1 / scale)
    assert close(to_input.inverse().apply(to_input.apply(Point(x, y))), Point(x, y), 1e-9)


@pytest.mark.parametrize("bad", [(0, 0, 0, 0), (1, 2, 2, 4), (math.nan,), (math.inf,)])
def test_maps_that_lose_information_cannot_be_made(bad):
    with pytest.raises(ValueError, match="invertible"):
        Affine(*bad)


@given(st.lists(solid_boxes, min_size=1, max_size=6), st.lists(solid_boxes, min_size=1, max_size=6))
def test_pairwise_iou_equals_iou_one_by_one(a, b):
    table = iou_matrix(np.array([x.xyxy for x in a]), np.array([x.xyxy for x in b]))
    assert table.shape == (len(a), len(b))
    assert np.allclose(table, [[x.iou(y) for y in b] for x in a])


@given(st.lists(st.tuples(solid_boxes, fractions), min_size=1, max_size=12), st.floats(0.05, 0.95))
def test_suppression_keeps_the_best_and_leaves_no_two_that_overlap_more(found, threshold):
    where = np.array([b.xyxy for b, _ in found])
    scores = np.array([s for _, s in found])
    keep = nms(where, scores, threshold)
    assert scores[keep[0]] == scores.max()
    assert list(scores[keep]) == sorted(scores[keep], reverse=True)
    left = iou_matrix(where[keep], where[keep]) - np.eye(len(keep))
    assert left.max(initial=0) <= threshold + 1e-9
    dropped = sorted(set(range(len(found))) - set(keep.tolist()))
    assert all(iou_matrix(where[[d]], where[keep]).max() > threshold - 1e-9 for d in dropped)


def test_suppression_of_nothing_is_nothing():
    assert nms(np.zeros((0, 4)), np.zeros(0), 0.5).size == 0


shapes = st.lists(st.tuples(*[st.integers(0, 40)] * 2, *[st.integers(1, 30)] * 2), max_size=25)


@given(shapes, st.floats(0, 1), st.integers(0, 30))
def test_suppression_keeps_the_surest_of_each_heap(rows, overlap, most):
    table = np.array([(x, y, x + w, y + h) for x, y, w, h in rows], float).reshape(-1, 4)
    kept = list(nms(table, -np.arange(len(table)), overlap, most))
    slow: list[int] = []
    for i in range(len(table)):
        if len(slow) < most and all(iou_matrix(table[i : i + 1], table[j : j + 1])[0, 0] <= overlap for j in slow):
            slow.append(i)
    assert kept == slow
