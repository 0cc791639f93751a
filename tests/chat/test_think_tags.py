"""Think tags: reasoning parted from the answer, no character lost or changed, wherever the pieces are cut."""

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stipula.chat.think_tags import ThinkTags

WORDS = [
    "<think>", "</think>", "<thinking>", "</thinking>", "<THINK>", "</Think>", "<th", "ink>", "</", "<", ">", "`", "``",
    "```", "~~~", "```py\n", "\n", "\n\n", " ", "    ", "\t", "a", "Paris", "é", "😀", "‍", "\u2028", "\r\n", "<b>", "",
]  # fmt: skip
OUTPUTS = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=14).map("".join)


def parted(output: str, cuts: list[int]) -> list[tuple[str, str]]:
    """The pieces of an output that came in these cuts, neighbours of one kind joined."""
    tags, found, at = ThinkTags(), [], 0
    for cut in [*sorted(cuts), len(output)]:
        found += tags.feed(output[at:cut])
        at = cut
    joined: list[tuple[str, str]] = []
    for piece in [*found, *tags.close()]:
        if joined and joined[-1][0] == piece.kind != "tag":
            joined[-1] = (piece.kind, joined[-1][1] + piece.text)
        else:
            joined.append((piece.kind, piece.text))
    return joined


def check(output: str, cuts: list[int]) -> None:
    whole = parted(output, [])
    assert "".join(text for _, text in whole) == output
    assert parted(output, list(range(len(output)))) == whole
    assert parted(output, cuts) == whole


@given(output=OUTPUTS, cuts=st.lists(st.integers(0, 40), max_size=6))
@settings(max_examples=10_000 if os.environ.get("STIPULA_TEST_FULL") == "1" else 300, deadline=None)
def test_no_character_is_lost_and_no_cut_matters(output: str, cuts: list[int]):
    check(output, cuts)
    check("<think>" + output, cuts)


@pytest.mark.parametrize("blank", ["\t", "    ", "\t\r\n", "    \n", " \t ", "\n\t"])
@pytest.mark.parametrize("rest", ["<think>a", "<thinking>` ", "a", "<", ""])
def test_white_space_before_a_tag_is_judged_when_it_has_ended(blank: str, rest: str):
    check(blank + rest, [0, 1])


def test_ten_thousand_random_outputs_lose_no_character():
    draw = random.Random(20261130)
    for _ in range(10_000):
        letters = [chr(draw.choice((0x41, 0xE9, 0x4E2D, 0x1F600, 0x300))) for _ in range(3)]
        words = draw.choices([*WORDS, *letters], k=draw.randrange(14))
        output = draw.choice(("", "<think>")) + "".join(words)
        check(output, [draw.randrange(len(output) + 1) for _ in range(draw.randrange(6))])


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", []),
        ("Paris.", ["text:Paris."]),
        ("<think>a b</think>c d", ["tag:<think>", "thought:a b", "tag:</think>", "text:c d"]),
        ("\n <thinking>\na</thinking>\n\nb", ["tag:\n <thinking>", "thought:\na", "tag:</thinking>", "text:\n\nb"]),
        (
            "<think>a</think> <think>b</think>c",
            ["tag:<think>", "thought:a", "tag:</think>", "tag: <think>", "thought:b", "tag:</think>", "text:c"],
        ),
        ("<think>cut off", ["tag:<think>", "thought:cut off"]),
        ("<think>a</thi", ["tag:<think>", "thought:a</thi"]),
        ("<thin", ["text:<thin"]),
        ("<think>a</thinking>b</think>c", ["tag:<think>", "thought:a</thinking>b", "tag:</think>", "text:c"]),
        ("   ", ["text:   "]),
    ],
)
def test_reasoning_stands_before_the_answer(output: str, expected: list[str]):
    assert [f"{kind}:{text}" for kind, text in parted(output, [])] == expected


@pytest.mark.parametrize(
    "output",
    [
        "Write `<think>` before it.",
        "`<think>x</think>` is a tag.",
        "```html\n<think>x</think>\n```",
        "    <think>x</think>\n",
        "\t<think>x</think>",
        "Yes. <think>late</think>",
    ],
)
def test_a_literal_tag_in_the_answer_is_text(output: str):
    assert parted(output, []) == [("text", output)]


@pytest.mark.parametrize(
    ("thought", "answer"),
    [
        ("the tag `</think>` ends it", "x"),
        ("an odd ` before the end`", "x"),
        ("\n```\n<think>x</think>\n```\nand on", "x"),
        ("\n~~~\n<think>x</think> ``` </think\n~~~\n", "x"),
        ("\n```py\nnever closed\n", "still the answer"),
        ("a ``` in a line ", "x"),
    ],
)
def test_a_literal_tag_inside_reasoning_does_not_end_it(thought: str, answer: str):
    output = f"<think>{thought}</think>{answer}"
    assert parted(output, []) == [("tag", "<think>"), ("thought", thought), ("tag", "</think>"), ("text", answer)]
