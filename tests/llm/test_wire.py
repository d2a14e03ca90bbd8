"""Each transport speaks its protocol: what goes over the wire, and what comes of every kind of answer.

The servers are loopback fakes of the published wire shapes; no provider can be called from a test machine.
"""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from cuakit.core.decision import Question
from cuakit.core.errors import DecisionError
from cuakit.llm.decisions import OpenAiDecisions
from cuakit.llm.letters import LetterChat
from cuakit.llm.ollama import OllamaChoice
from cuakit.llm.systemone import SystemOne
from tests.loopback import serving

STATE = {"screen": {"title": "Form"}}
ASK = {"operation": Question(name="operation", options={"CLICK": "Click", "abstain": "None"}, instructions="Next?")}


@contextmanager
def server(*replies):
    """A server that answers with (status, body) in turn, repeating the last, and remembers what it was asked."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.path, dict(self.headers), json.loads(body)))
            status, reply = replies[min(len(seen), len(replies)) - 1]
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    with serving(Handler) as url:
        yield url, seen


GOOD = {
    "answers": {"operation": {"choice": "CLICK", "confidence": 0.9, "probabilities": {"CLICK": 0.9, "abstain": 0.1}}}
}


def test_system_one_sends_named_questions_and_a_bearer_token():
    with server((200, GOOD)) as (url, seen):
        reply = SystemOne(base_url=url, model="m", api_key="k3y").ask(STATE, ASK)
    path, headers, body = seen[0]
    assert path == "/v1/systemone"
    assert headers["Authorization"] == "Bearer k3y"
    assert body["questions"]["operation"]["criteria"] == {"CLICK": "Click", "abstain": "None"}
    assert body["state"] == STATE
    assert reply["answers"]["operation"]["choice"] == "CLICK"


def test_system_one_speaks_to_another_path():
    with server((200, GOOD)) as (url, seen):
        SystemOne(base_url=url, path="/api/alpha/decisions").ask(STATE, ASK)
    assert seen[0][0] == "/api/alpha/decisions"


@pytest.mark.parametrize("status", [429, 503, 529])
def test_system_one_tries_again_when_the_server_is_busy(status):
    waits = []
    with server((status, {}), (status, {}), (200, GOOD)) as (url, seen):
        assert SystemOne(base_url=url, sleep=waits.append).ask(STATE, ASK)["answers"]
    assert len(seen) == 3
    assert waits == [0.5, 1.0]


def test_system_one_gives_up_after_three_attempts():
    with server((503, {})) as (url, seen), pytest.raises(DecisionError, match="503") as caught:
        SystemOne(base_url=url, sleep=lambda _: None).ask(STATE, ASK)
    assert len(seen) == 3
    assert caught.value.is_retryable


@pytest.mark.parametrize(
    ("status", "body", "match", "code"),
    [
        (400, {"detail": {"error_type": "max_tokens_exceeded"}}, "max_tokens_exceeded", "max_tokens_exceeded"),
        (422, {"detail": [{"loc": ["state"]}]}, "422", "model_error"),
        (500, b"<html>", "500", "model_error"),
        (200, b"Sure! Here is the JSON: {", "no JSON object", "invalid_decision"),
        (200, b"[]", "no JSON object", "invalid_decision"),
    ],
)
def test_system_one_explains_a_bad_answer(status, body, match, code):
    with server((status, body)) as (url, _), pytest.raises(DecisionError, match=match) as caught:
        SystemOne(base_url=url, sleep=lambda _: None).ask(STATE, ASK)
    assert caught.value.error_code == code


def test_system_one_without_a_server_says_how_to_name_one(monkeypatch):
    monkeypatch.delenv("TYPESAFE_BASE_URL", raising=False)
    with pytest.raises(DecisionError, match="TYPESAFE_BASE_URL"):
        SystemOne().ask(STATE, ASK)


def test_a_key_is_in_no_repr():
    assert "k3y" not in repr(SystemOne(base_url="http://x", api_key="k3y"))
    assert "k3y" not in repr(LetterChat(base_url="http://x", api_key="k3y"))
    assert "k3y" not in repr(OpenAiDecisions(model="m", api_key="k3y"))


def chat(content="A", top=None):
    logprobs = None
    if top is not None:
        entry = {"token": content, "logprob": -0.1, "bytes": None}
        entry["top_logprobs"] = [{"token": t, "logprob": p, "bytes": None} for t, p in top]
        logprobs = {"content": [entry], "refusal": None}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content},
                "logprobs": logprobs,
            }
        ],
        "usage": {"prompt_tokens": 50, "completion_tokens": 1, "total_tokens": 51},
    }


def test_letters_become_a_distribution_over_the_options_whatever_their_order():
    # the model always likes whatever stands under B best: -0.2231 is log 0.8, -1.6094 is log 0.2
    with server((200, chat(top=[("B", -0.2231), (" A", -1.6094), ("The", -3.0)]))) as (url, seen):
        reply = LetterChat(base_url=url + "/v1", rotations=2).ask(STATE, ASK)
    spread = reply["answers"]["operation"]["probabilities"]
    assert len(seen) == 2
    assert spread == pytest.approx({"CLICK": 0.5, "abstain": 0.5}, abs=1e-3)  # a position habit averages out
    assert reply["usage"] == {"input_tokens": 100.0, "output_tokens": 2.0}


def test_letters_put_the_state_first_for_the_prefix_cache():
    with server((200, chat(top=[("A", -0.1)]))) as (url, seen):
        LetterChat(base_url=url + "/v1").ask(STATE, ASK)
    assert seen[0][2]["messages"][1]["content"].startswith(json.dumps(STATE, separators=(",", ":")))
    assert seen[0][2]["max_tokens"] == 1


def test_letters_fall_back_to_a_schema_without_log_probabilities():
    with server((200, chat("A")), (200, chat('  {"letter": "A"}'))) as (url, seen):
        answer = LetterChat(base_url=url + "/v1").ask(STATE, ASK)["answers"]["operation"]
    assert "probabilities" not in answer
    assert answer["choice"] in ASK["operation"].options
    assert seen[1][2]["response_format"]["json_schema"]["schema"]["properties"]["letter"]["enum"] == ["A", "B"]
    assert seen[1][2]["max_tokens"] >= 64


def test_letters_reject_prose():
    with (
        server((200, chat("A")), (200, chat("I would click"))) as (url, _),
        pytest.raises(DecisionError, match="no letter"),
    ):
        LetterChat(base_url=url + "/v1").ask(STATE, ASK)


def test_letters_never_cut_a_long_list_silently():
    many = {"q": Question(name="q", options={f"c{i}": "" for i in range(27)})}
    with pytest.raises(DecisionError, match="27 options") as caught:
        LetterChat(base_url="http://127.0.0.1:9/v1").ask(STATE, many)
    assert caught.value.error_code == "option_limit"


def test_a_dead_chat_server_is_a_retryable_error():
    with pytest.raises(DecisionError, match="did not answer") as caught:
        LetterChat(base_url="http://127.0.0.1:9/v1", timeout_s=2).ask(STATE, ASK)
    assert caught.value.is_retryable


DECISIONS = {
    "id": "d1",
    "object": "decision",
    "model": "m",
    "answers": [
        {
            "type": "choice",
            "name": "operation",
            "choice": "CLICK",
            "confidence": 0.8,
            "probabilities": [{"value": "CLICK", "probability": 0.8}, {"value": "abstain", "probability": 0.2}],
        }
    ],
    "usage": {"input_tokens": 9, "output_tokens": 0},
}


def test_openai_decisions_follow_the_official_types():
    with server((200, DECISIONS)) as (url, seen):
        reply = OpenAiDecisions(model="m", base_url=url + "/v1", api_key="k").ask(STATE, ASK)
    path, _, body = seen[0]
    assert path == "/v1/decisions"
    assert body["questions"][0]["choices"] == [
        {"value": "CLICK", "description": "Click"},
        {"value": "abstain", "description": "None"},
    ]
    assert reply["answers"]["operation"]["probabilities"] == {"CLICK": 0.8, "abstain": 0.2}


@pytest.mark.parametrize(
    ("answers", "match"),
    [([], "0 answers to 1"), ([{"type": "refusal", "name": "operation"}], "refused"), (None, "no answers")],
)
def test_openai_decisions_that_do_not_line_up_are_refused(answers, match):
    with server((200, DECISIONS | {"answers": answers})) as (url, _), pytest.raises(DecisionError, match=match):
        OpenAiDecisions(model="m", base_url=url + "/v1", api_key="k").ask(STATE, ASK)


def test_openai_decisions_need_two_choices():
    with pytest.raises(DecisionError, match="1 options"):
        OpenAiDecisions(model="m", api_key="k").ask(STATE, {"q": Question(name="q", options={"a": ""})})


def ollama(content):
    return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True, "message": {"role": "assistant", "content": content}, "prompt_eval_count": 7, "eval_count": 3}  # fmt: skip


def test_ollama_is_held_to_the_options_by_a_schema():
    with server((200, ollama('{"choice": "abstain"}'))) as (url, seen):
        reply = OllamaChoice(model="m", host=url).ask(STATE, ASK)
    assert seen[0][0] == "/api/chat"
    assert seen[0][2]["format"]["properties"]["choice"]["enum"] == ["CLICK", "abstain"]
    assert reply == {
        "answers": {"operation": {"choice": "abstain"}},
        "usage": {"input_tokens": 7.0, "output_tokens": 3.0},
    }


@pytest.mark.parametrize(
    ("status", "body", "match"),
    [(200, ollama("Sure"), "not the JSON"), (404, {"error": "model 'm' not found"}, "ollama pull m")],
)
def test_ollama_errors_say_what_to_do(status, body, match):
    with server((status, body)) as (url, _), pytest.raises(DecisionError, match=match):
        OllamaChoice(model="m", host=url).ask(STATE, ASK)
