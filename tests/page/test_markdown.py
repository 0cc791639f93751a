"""What becomes of a model's Markdown, tried in Node on a little document: laws, not pictures."""

import json
from pathlib import Path

import pytest

ATTACKS = json.loads((Path(__file__).parents[1] / "data/page/markup-attacks.json").read_text(encoding="utf-8"))
LOAD = """
const { box } = await import(`${HERE}/little_dom.mjs`);
const { MarkdownStream, renderMarkdown, sourceOf } = await import(`${WEB}/markdown.js`);
const whole = (text) => { const into = box(); renderMarkdown(text, into); return into.show().slice(2); };
"""
DOCUMENTS = [
    "# Title\n\nA *first* paragraph with `code`, **strong**\nand a [link](https://example.com/a).\n\nLast",
    "- one\n- two\n  - deep\n\n    more of it\n- three\n\nafter\n\n1. a\n2) b\n",
    "para\n-\n\npara\n- item\n\nset\n===\n\ntext\n#\n\ntext\n# h\n#x",
    "```py\nx = 1\n\n# not a heading\n```\n\ntext\n~~~\nopen to the end\n",
    "| a | b |\n|---|:-:|\n| 1 | `2|3` |\n| x |\n\nnot | a table\n",
    "> quote\nlazy\n> # head\n>\n> - list\n\n    indented code\n\n\ttab\n***\n",
    "see [one] and [Two][b], ![pic][one]\n\n- [one]\n\n[one]: https://one.example\n[b]: https://two.example 't\nt'\n",
    '[a]: /relative\n"tit\nmore"\n\n[a]\n\n[b]: https://b.example\n"tit\n\nmore" [b]\n',
    'text\n\n[b]: https://b.example\n"a title\nover lines"\n\nsee [b]\n',
    "para\n#x\n\npara\n-x\n\npara\n1.x\n\npara\n``x\n\npara\n---x\n",
    "a\r\nb\r\n\r\n- c\r- d\r\r> e\r\n",
    "line\nbreak  \nhard\\\nend https://auto.example/x. <https://angle.example> a@b.example\n",
    "above\n\n---\n\n<div>\n\n*html*\n\n</div>\n",
    "Emoji 🦉 é and `` ` `` tick ~~gone~~ __x__ snake_case_word 2*3*4\n\n\n\n\nend",
]


def test_a_growing_text_looks_at_its_end_as_if_it_had_come_whole(node):
    """Over every cut in two, and character by character."""
    text = (
        LOAD
        + """
    const odd = [];
    for (const [number, document] of given.entries()) {
      const expected = JSON.stringify(whole(document));
      for (let at = 0; at <= document.length; at += 1) {
        const into = box(), stream = new MarkdownStream(into);
        stream.update(document.slice(0, at));
        stream.update(document, true);
        if (JSON.stringify(into.show().slice(2)) !== expected) odd.push([number, at]);
      }
      const into = box(), stream = new MarkdownStream(into);
      for (let at = 0; at <= document.length; at += 1) stream.update(document.slice(0, at));
      stream.update(document, true);
      if (JSON.stringify(into.show().slice(2)) !== expected) odd.push([number, "single"]);
    }
    print(odd);
    """
    )
    assert node(text, given=DOCUMENTS) == []


BITS = [
    *(
        "\n",
        "\n",
        "\n\n",
        " ",
        "  ",
        "    ",
        "\t",
        "\r\n",
        "- ",
        "* ",
        "1. ",
        "2) ",
        "> ",
        "# ",
        "## ",
        "```",
        "~~~",
        "---",
    ),
    *(
        "===",
        "|",
        "|-|-|",
        "`",
        "*",
        "**",
        "_",
        "~~",
        "[",
        "]",
        "(",
        ")",
        "!",
        "[a]",
        "[a]: https://a.example",
        '"',
        "'",
    ),
    *("<", ">", "&amp;", "&#x202e;", "\\", "word", "a b", "é🦉", "\u202e", "https://b.example", "\0", ":", "\ud800"),
]


def test_random_texts_never_throw_and_never_depend_on_the_cuts(node, is_full_run):
    text = (
        LOAD
        + """
    let seed = 20261;
    const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const odd = [];
    for (let n = 0; n < given.rounds; n += 1) {
      let document = "";
      for (let k = random(40); k >= 0; k -= 1) document += given.bits[random(given.bits.length)];
      try {
        const into = box(), stream = new MarkdownStream(into);
        for (let at = 0; at < document.length; at += 1 + random(6)) stream.update(document.slice(0, at));
        stream.update(document, true);
        if (JSON.stringify(into.show().slice(2)) !== JSON.stringify(whole(document))) odd.push(document);
      } catch (fault) { odd.push([document, fault.stack]); }
    }
    print(odd.slice(0, 3));
    """
    )
    assert node(text, given={"bits": BITS, "rounds": 40_000 if is_full_run else 4_000}) == []


def test_a_finished_block_keeps_its_node_to_the_end(node):
    text = (
        LOAD
        + """
    const into = box(), stream = new MarkdownStream(into);
    const first = "# Title\\n\\nA paragraph.\\n\\n- list\\n\\nThe last";
    stream.update(first);
    const before = into.childNodes.slice(0, 3);
    for (const more of [" block", " grows\\n\\nand", " another", ".\\n\\n```js\\nx\\n```\\n"]) {
      given.text += more;
      stream.update(given.text);
    }
    stream.update(given.text, true);
    print(before.map((node, at) => node === into.childNodes[at]));
    """
    )
    given = {"text": "# Title\n\nA paragraph.\n\n- list\n\nThe last"}
    assert node(text, given=given) == [True, True, True]


def test_an_open_fence_grows_in_one_text_node(node):
    text = (
        LOAD
        + """
    const into = box(), stream = new MarkdownStream(into);
    stream.update("```py\\nx = 1\\n");
    const figure = into.firstChild, code = figure.lastChild.firstChild, letters = code.firstChild;
    stream.update("```py\\nx = 1\\ny = 2\\n");
    print([into.firstChild === figure, code.firstChild === letters, letters.data, sourceOf(figure)]);
    """
    )
    assert node(text) == [True, True, "x = 1\ny = 2", "x = 1\ny = 2"]


@pytest.mark.parametrize("part", ["para\n-", "para\n=", "para\n#", "para\n1.", "para\n> ", "para\n``", "para\n|--"])
def test_a_line_that_may_become_anything_waits_for_its_next_characters(node, part):
    text = LOAD + "const into = box(); new MarkdownStream(into).update(given); print(into.show().slice(2));"
    assert node(text, given=part) == [["p", {"dir": "auto"}, "para"]]


TAGS = {
    *(
        [
            "p",
            "ul",
            "ol",
            "li",
            "blockquote",
            "pre",
            "code",
            "em",
            "strong",
            "s",
            "br",
            "hr",
            "a",
            "span",
            "button",
            "figure",
            "figcaption",
            "div",
        ]
    ),
    *(["table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6"]),
}
ATTRIBUTES = {
    *(
        [
            "class",
            "dir",
            "start",
            "scope",
            "role",
            "tabindex",
            "aria-label",
            "href",
            "rel",
            "target",
            "referrerpolicy",
            "data-host",
            "data-copy",
            "type",
            "title",
        ]
    ),
}


@pytest.mark.parametrize("attack", [one for one in ATTACKS if "where" not in one], ids=lambda attack: attack["id"])
def test_hostile_markdown_becomes_elements_of_our_own_list_only(node, attack):
    text = (
        LOAD
        + """
    const into = box(), stream = new MarkdownStream(into);
    const step = Math.max(1, Math.ceil(given.length / 200));
    for (let at = 0; at < given.length; at += step) stream.update(given.slice(0, at));
    stream.update(given, true);
    const seen = { tags: new Set(), attributes: new Set(), urls: new Set(), words: new Set() };
    const stack = [...into.childNodes];
    while (stack.length) {
      const node = stack.pop();
      if (node.nodeType !== 1) continue;
      stack.push(...node.childNodes);
      seen.tags.add(node.tag);
      for (const [name, value] of node.attributes) {
        seen.attributes.add(name);
        if (name === "href") seen.urls.add(value);
      }
    }
    print({ ...Object.fromEntries(Object.entries(seen).map(([key, set]) => [key, [...set]])), text: into.textContent });
    """
    )
    seen = node(text, given=attack["input"])
    assert set(seen["tags"]) <= TAGS
    assert set(seen["attributes"]) <= ATTRIBUTES
    assert [url for url in seen["urls"] if not url.lower().startswith(("http://", "https://", "mailto:"))] == []
    letters = "".join(character for character in seen["text"] if character.isalpha())
    assert "KEEP" in letters or "hide target" in attack["must_not"] or "change copy" in attack["must_not"]


@pytest.mark.parametrize(
    ("markdown", "host"),
    [
        ("[bank.example](https://evil.example/)", "evil.example"),
        ("[https://bank.example](https://bank.example@evil.example/)", "evil.example"),
        ("[раураl](https://xn--80ak6aa92e.example/)", "xn--80ak6aa92e.example"),
        ("[here](https://ok.example/a)", "ok.example"),
        ("https://ok.example/a", None),
        ("[ok.example/a](https://ok.example/a)", None),
        ("[ok.example.evil](https://ok.example/)", "ok.example"),
        ("[write](mailto:a@b.example)", "a@b.example"),
    ],
)
def test_a_link_shows_where_it_leads_unless_its_text_says_just_that(node, markdown, host):
    [[_, _, [tag, attributes, *_]]] = node(LOAD + "print(whole(given));", given=markdown)
    assert (tag, attributes.get("data-host")) == ("a", host)
    assert attributes["rel"] == "noopener noreferrer nofollow"


def test_text_nested_deeper_than_the_bound_is_still_there(node):
    text = (
        LOAD
        + "const into = box(); renderMarkdown('> '.repeat(500) + 'KEEP', into); print(/KEEP/.test(into.textContent));"
    )
    assert node(text) is True


def test_an_answer_longer_than_the_bound_is_shown_as_plain_text_behind_it(node):
    text = (
        LOAD
        + """
    const long = "word ".repeat(41000), into = box(), stream = new MarkdownStream(into);
    stream.update(long.slice(0, 201000));
    stream.update(long, true);
    print([into.childNodes.length, into.lastChild.className, into.textContent.length]);
    """
    )
    assert node(text) == [2, "plain", 205_000 - 1]
