"""H5 and H6: message lists that are legal and odd, and histories with a call that went wrong.

How each dialect's texts are found in a body is tested beside src/gateway/dialect/prompt.cpp.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asking import CHAT, MESSAGES, RESPONSES, Answer, Form, Json, ask, encoded, fill
from gateway_process import Gateway
from raw_http import post
from scripted import reply
from staging import Staged

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CODEWORDS = ("OSPREY-1", "OSPREY-2", "OSPREY-3", "OSPREY-4")


def parts(*texts: str) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts]


LONG_LIST: list[Json] = [
    {"role": "system", "content": "S1"},
    {"role": "user", "content": parts("alpha OSPREY-1", "beta OSPREY-2")},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": parts("OSPREY-3", "OSPREY-4")},
    {"role": "system", "content": "S2"},
    {"role": "developer", "content": "D"},
    {"role": "user", "content": "u1"},
    {"role": "user", "content": "u2"},
]
USE = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
ANTHROPIC: Json = {
    "system": parts("S1", "S2"),
    "messages": [
        {"role": "user", "content": parts("alpha OSPREY-1", "beta OSPREY-2")},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "OSPREY-3"}]},
        {"role": "assistant", "content": [USE | {"id": "c2"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": parts("a", "OSPREY-4")}]},
    ],
}


def rendered(gateway: Gateway, messages: list[Json]) -> str:
    answer = post(gateway.port, "/apply-template", encoded({"messages": messages}))
    assert answer.status == 200, answer.body
    return json.loads(answer.body)["prompt"]


def counted(gateway: Gateway, messages: list[Json]) -> int:
    answer = post(gateway.port, CHAT.path + "/input_tokens", encoded({"messages": messages}))
    assert answer.status == 200, answer.body
    return json.loads(answer.body)["input_tokens"]


def taken_or_refused(answer: Answer) -> None:
    """Never a 500, and never a refusal without a reason."""
    assert answer.status in (200, 400), answer.body
    if answer.status == 400:
        assert answer.error["message"]


def test_every_text_reaches_the_prompt_in_order(small_child: Gateway) -> None:
    prompt = rendered(small_child, LONG_LIST)
    places = [prompt.index(word) for word in CODEWORDS]
    assert places == sorted(places)
    answer = ask(small_child.port, CHAT, {"messages": LONG_LIST, "max_tokens": 2})
    assert answer.status == 200, answer.body
    assert answer.value["usage"]["prompt_tokens"] == counted(small_child, LONG_LIST)


def test_an_empty_answer_at_the_end_is_taken_or_refused(small_child: Gateway) -> None:
    messages = [*LONG_LIST, {"role": "assistant", "content": ""}]
    taken_or_refused(ask(small_child.port, CHAT, {"messages": messages, "max_tokens": 2}))


@pytest.mark.parametrize("place", range(len(LONG_LIST)))
def test_each_message_alone(toy_child: Gateway, place: int) -> None:
    taken_or_refused(ask(toy_child.port, CHAT, {"messages": [LONG_LIST[place]], "max_tokens": 2}))


def test_parts_are_the_same_prompt_as_a_string(small_child: Gateway) -> None:
    text = "one OSPREY-1 two"
    both = [rendered(small_child, [{"role": "user", "content": content}]) for content in (text, parts(text))]
    assert both[0] == both[1]
    null, empty = (
        rendered(small_child, [*LONG_LIST[:2], LONG_LIST[2] | {"content": content}, *LONG_LIST[3:]])
        for content in (None, "")
    )
    assert null == empty


def test_the_same_conversation_as_messages(small_child: Gateway) -> None:
    count = post(small_child.port, "/v1/messages/count_tokens", encoded(ANTHROPIC))
    assert count.status == 200, count.body
    answer = ask(small_child.port, MESSAGES, ANTHROPIC | {"max_tokens": 2})
    assert answer.status == 200, answer.body
    usage = answer.value["usage"]
    assert usage["input_tokens"] + usage.get("cache_read_input_tokens", 0) == json.loads(count.body)["input_tokens"]


@pytest.mark.parametrize("form", [CHAT, MESSAGES], ids=lambda form: form.name)
def test_skimming_keeps_every_message_in_its_place(staged: Staged, form: Form) -> None:
    """Two long parts are thinned; all else stays to the byte, each text in the message and part it came in."""
    gateway, server = staged
    server.answer = lambda request: [reply(b'{"input_tokens":9}')]
    sent: Json = {"messages": LONG_LIST} if form is CHAT else dict(ANTHROPIC)
    sent = json.loads(json.dumps(sent))
    sent["messages"][1 if form is CHAT else 0]["content"][0]["text"] += "\n" + fill(60).replace(". ", ".\n")
    sent["messages"].append({"role": "user", "content": "Which shelf has row 7?"})
    wish = {"mode": "always", "keep_ratio": 0.3}
    assert post(gateway.port, form.path, encoded(sent | {"max_tokens": 2, "skim": wish})).status == 200
    [body] = server.bodies(form.path)
    got = json.loads(body)

    def shape(value: object) -> object:
        """The same with each long text taken away."""
        if isinstance(value, dict):
            return {key: shape(member) for key, member in value.items() if key not in ("stream", "return_progress")}
        if isinstance(value, list):
            return [shape(member) for member in value]
        return "long" if isinstance(value, str) and len(value) > 256 else value

    assert shape(got) == shape(sent | {"max_tokens": 2})
    assert len(body) < 0.7 * len(encoded(sent))


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "wizard", "content": "x"}],
        [{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "nowhere", "content": "y"}],
        [{"role": "assistant", "content": None}],
        [{"role": "user", "content": []}],
        [{"role": "user", "content": ""}],
    ],
)
def test_messages_that_few_templates_know(toy_child: Gateway, messages: list[Json]) -> None:
    taken_or_refused(ask(toy_child.port, CHAT, {"messages": messages, "max_tokens": 2}))


@pytest.mark.parametrize("mode", ["off", "always"])
def test_an_image_for_a_text_model_is_refused(toy_child: Gateway, mode: str) -> None:
    """With llama-server's status, which is 500: its own tests ask for that."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    messages = [{"role": "user", "content": [image, *parts(fill(40))]}]
    answer = ask(toy_child.port, CHAT, {"messages": messages, "max_tokens": 2, "skim": {"mode": mode}})
    assert answer.status == 500
    assert "image" in answer.error["message"]


def test_a_template_with_crlf_is_the_same_template(small_child: Gateway, toy: Path, tmp_path: Path) -> None:
    template = Path(__file__).with_name("tools.jinja").read_text()
    file = tmp_path / "crlf.jinja"
    file.write_bytes(template.replace("\n", "\r\n").encode())
    with Gateway("-m", toy, "-c", "1024", "-np", "1", "--chat-template-file", file, folder=tmp_path) as gateway:
        gateway.wait_ready()
        assert rendered(gateway, LONG_LIST) == rendered(small_child, LONG_LIST)


ARGUMENTS: list[object] = ["{", "", "null", "[1]", "{'a':1}", {"a": 1}, "x" * 300_000]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_a_history_with_a_bad_call_goes_on(small_child: Gateway, arguments: object) -> None:
    """H6: 5xx is for what a retry could mend."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    messages: list[Json] = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "cut short"},
        {"role": "user", "content": "Go on."},
    ]
    for mode in ("off", "always"):
        answer = ask(small_child.port, CHAT, {"messages": messages, "max_tokens": 1, "skim": {"mode": mode}})
        taken_or_refused(answer)


CLOCK = {
    "type": "function",
    "function": {"name": "clock", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}},
}
ECHO = 'Say exactly:\n<tool_call>\n{"name": "clock", "arguments": {"zone": "a"}}\n</tool_call>'


def test_a_call_that_is_cut_is_not_called_complete(small_child: Gateway) -> None:
    whole = ask(small_child.port, CHAT, CHAT.body(ECHO, 60, temperature=0, tools=[CLOCK], tool_choice="required"))
    assert whole.finish == "tool_calls"
    limit = whole.value["usage"]["completion_tokens"] - 8
    for stream in (False, True):
        body = CHAT.body(ECHO, limit, temperature=0, tools=[CLOCK], tool_choice="required", stream=stream)
        answer = ask(small_child.port, CHAT, body)
        assert (answer.status, answer.finish) == (200, "length")


def test_a_response_with_a_bad_call_goes_on(small_child: Gateway) -> None:
    items = [
        {"role": "user", "content": "x"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{"},
        {"type": "function_call_output", "call_id": "c1", "output": "cut short"},
        {"role": "user", "content": "Go on."},
    ]
    taken_or_refused(ask(small_child.port, RESPONSES, {"input": items, "max_output_tokens": 1}))
