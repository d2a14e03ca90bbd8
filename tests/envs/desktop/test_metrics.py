"""Metrics against tables of expected values, on real files."""

import sqlite3
import zipfile

import pytest
from hypothesis import given, strategies as st

from cuakit.core.errors import InvalidTask
from cuakit.envs.desktop.metrics import metric
from cuakit.envs.desktop.metrics.rules import holds


@pytest.mark.parametrize(
    ("value", "method", "ref", "kept"),
    [
        (3, "eq", 3, True),
        (3, "ne", 3, False),
        (3, "lt", 4, True),
        ("3", "lt", 4, False),
        ("Bold text", "re", "^Bold", True),
        ("bold", "re.I", "^BOLD", True),
        (None, "re", "x", False),
        ("1.04", "approx:0.05", 1, True),
        (1.06, "approx:0.05", 1, False),
        (1, "range.te", [1, 2], False),
        (2, "range.te", [1, 2], True),
        (1, "range.et", [1, 2], True),
        ('"a,b"', "str_list_eq", ["a", "b"], True),
        ("b,a", "str_list_eq", ["a", "b"], False),
        ("b,a", "str_set_eq", ["a", "b"], True),
    ],
)
def test_a_rule_is_kept_or_not(value, method, ref, kept):
    assert holds(value, {"method": method, "ref": ref}) is kept


def test_a_rule_of_no_known_method_is_the_tasks_mistake():
    with pytest.raises(InvalidTask):
        holds(1, {"method": "near", "ref": 1})


@given(st.integers(), st.integers())
def test_each_comparison_is_the_opposite_of_another(a, b):
    for one, other in (("eq", "ne"), ("lt", "ge"), ("gt", "le")):
        assert holds(a, {"method": one, "ref": b}) is not holds(a, {"method": other, "ref": b})


@pytest.mark.parametrize(
    ("name", "result", "rules", "score"),
    [
        ("exact_match", "a", {"expected": "a"}, 1),
        ("exact_match", "a\n", {"expected": "a"}, 0),
        ("match_in_list", "b", {"expected": ["a", "b"]}, 1),
        ("is_in_list", ["a"], {"expected": "b"}, 0),
        ("is_in_list", ["a", "b"], {"expected": "b"}, 1),
        ("literal_match", "A", "a", 0),
        ("fuzzy_match", "abcd", {"expected": "abcd"}, 1),
        ("fuzzy_match", None, {"expected": "abcd"}, 0),
        ("check_include_exclude", "one two", {"include": ["one"], "exclude": ["three"]}, 1),
        ("check_include_exclude", "one two", {"include": ["one"], "exclude": ["two"]}, 0),
        ("check_include_exclude", None, {"include": []}, 0),
        ("check_direct_json_object", {"a": 1, "b": 2}, {"expected": {"a": 1}}, 1),
        ("check_direct_json_object", "{'a': 1}", {"expected": {"a": 1}}, 1),
        ("check_direct_json_object", "{'a'", {"expected": {"a": 1}}, 0),
        ("check_direct_json_object", {"a": "xyz"}, {"expected": {"a": ["q", "y"]}, "expect_in_result": True}, 1),
        ("check_direct_json_object", {"a": [2, 1]}, {"expected": {"a": [1, 2]}}, 0),
        ("check_direct_json_object", {"a": [2, 1]}, {"expected": {"a": [1, 2]}, "ignore_list_order": True}, 1),
    ],
)
def test_values(name, result, rules, score):
    assert metric(name)(result, rules) == score


@pytest.mark.parametrize(
    ("name", "text", "rules", "score"),
    [
        ("check_list", "one\ntwo\n", {"expect": ["^one$", "tw"]}, 1),
        ("check_list", "one\ntwo\n", {"expect": ["^one$"], "unexpect": ["two"]}, 0),
        ("check_csv", "n,v\na,1\nb,2\n", {"expect": [{"n": "b", "v": "2"}], "unexpect": [{"n": "a", "v": "2"}]}, 1),
        ("check_csv", "n,v\na,1\n", {"expect": [{"n": "b"}]}, 0),
        ("check_json", '{"a": {"b": [1, 5]}}', {"expect": [{"key": ["a", "b", 1], "method": "eq", "ref": 5}]}, 1),
        ("check_json", '{"a": {}}', {"expect": [{"key": ["a", "b"], "method": "eq", "ref": None}]}, 0),
        ("check_json", "{", {"expect": []}, 0),
        ("check_json_settings", '{"a": 1, "b": 2}', {"expected": {"a": 1}}, 1),
        ("check_json_settings", '{"a": true}', {"expected": {"a": False}}, 0),
        ("check_json_keybindings", '// mine\n[{"key": "f"}]', {"expected": {"key": "f"}}, 1),
        ("compare_config", "x=1\n", {"expected": "x=1"}, 0),
        ("file_contains", "alpha beta", {"expected": ["alpha", "beta"]}, 1),
        ("file_contains", "alpha", {"expected": ["alpha", "beta"]}, 0),
        ("check_config_status", '(theme "Dark")\n', {"key": "theme", "value": '"Dark"'}, 1),
        ("check_config_status", '# (theme "Dark")\n', {"key": "theme", "value": '"Dark"'}, 0),
        ("check_thunderbird_prefs", 'user_pref("a.b", 3);\n', {"expect": {"a.b": {"method": "eq", "ref": 3}}}, 1),
        ("check_thunderbird_prefs", 'user_pref("a.b", ;\n', {"expect": {"a.b": {"method": "eq", "ref": 3}}}, 0),
    ],
)
def test_text_files(tmp_path, name, text, rules, score):
    (tmp_path / "f").write_text(text)
    assert metric(name)(str(tmp_path / "f"), rules) == score


@pytest.mark.parametrize(
    ("name", "texts", "options", "score"),
    [
        ("compare_text_file", ("A  b", "a b"), {}, 0),
        ("compare_text_file", ("A  b", "a b"), {"ignore_blanks": True, "ignore_case": True}, 1),
        ("compare_csv", ("a, b\n", "a, b"), {}, 1),
        ("compare_csv", ("a,b \n", "a,b"), {"strict": False}, 1),
        ("compare_csv", ("a,b \n", "a,b"), {}, 0),
        ("compare_python_pure_text", ("if x:\n  y", "if x:\n    y\n"), {}, 1),
        ("diff_text_file", ("a\nb", "a\nc"), {}, 0.5),
    ],
)
def test_pairs_of_text_files(tmp_path, name, texts, options, score):
    for file, text in zip(("mine", "theirs"), texts, strict=True):
        (tmp_path / file).write_text(text)
    assert metric(name)(str(tmp_path / "mine"), str(tmp_path / "theirs"), **options) == score


@given(text=st.text(max_size=200))
def test_a_text_is_like_itself(tmp_path_factory, text):
    file = tmp_path_factory.getbasetemp() / "same"
    file.write_text(f"{text}\n", encoding="utf-8", newline="")
    for name in ("compare_text_file", "diff_text_file", "compare_csv", "compare_python_pure_text"):
        assert metric(name)(str(file), str(file)) == 1.0


def packed(path, **files: str) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return str(path)


def test_archives_are_compared_by_what_they_hold(tmp_path):
    one, same = packed(tmp_path / "1.zip", a="x y", b="z"), packed(tmp_path / "2.zip", b="z", a="x y")
    blanks, less = packed(tmp_path / "3.zip", a="x  y\n", b="z"), packed(tmp_path / "4.zip", a="x y")
    (tmp_path / "no.zip").write_text("no archive")
    scores = {"compare_zip_files": (1, 0, 0), "compare_archive": (1, 1, 0)}
    for name, wanted in scores.items():
        assert tuple(metric(name)(other, one) for other in (same, blanks, less)) == wanted
        assert metric(name)(str(tmp_path / "no.zip"), one) == 0


def test_a_database_is_asked_and_never_written(tmp_path):
    file = tmp_path / "places.sqlite"
    base = sqlite3.connect(file)
    base.execute("create table t (n)")
    base.execute("insert into t values (7)")
    base.commit()
    base.close()
    before = file.read_bytes()
    assert metric("run_sqlite3")(str(file), {"sql": "select count(*) from t where n = 7"}) == 1
    assert metric("run_sqlite3")(str(file), {"sql": "drop table t"}) == 0
    assert file.read_bytes() == before
