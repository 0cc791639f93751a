"""Reads an ECMA-262 pattern (the `u` grammar, with the escapes of everyday patterns) into a tree.

What no automaton decides, or what validators read differently, raises `Undecidable`: back-references, inline flags,
properties without a table, lone surrogates.
"""

from typing import Final

from stipula.diff.containment import charsets
from stipula.diff.containment.budget import Undecidable
from stipula.diff.containment.charsets import Charset
from stipula.diff.containment.regex_tree import EMPTY, Border, Chars, Choice, Look, Repeat, Sequence, Tree

CONTROL: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
CLASSES: Final[dict[str, Charset]] = {"d": charsets.DIGIT, "w": charsets.WORD, "s": charsets.SPACE}
SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/-")
MAX_NESTING: Final = 60
MAX_COUNT: Final = 5000
LONGEST_NUMBER: Final = 9


def parse(pattern: str) -> Tree:
    """The tree of a pattern; `Undecidable` where it is none that we decide."""
    parser = _Parser(pattern)
    tree = parser.choice(0)
    if parser.at < len(pattern):
        raise parser.unclear("an unmatched )")
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def unclear(self, why: str) -> Undecidable:
        return Undecidable(f"pattern {self.text[:80]!r}: {why}")

    def ahead(self, wanted: str) -> bool:
        return self.text.startswith(wanted, self.at)

    def take(self, wanted: str) -> bool:
        if not self.ahead(wanted):
            return False
        self.at += len(wanted)
        return True

    def next(self) -> str:
        if self.at >= len(self.text):
            raise self.unclear("it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    # ------------------------------------------------------------ structure

    def choice(self, depth: int) -> Tree:
        if depth > MAX_NESTING:
            raise self.unclear("nested too deep")
        parts = [self.sequence(depth)]
        while self.take("|"):
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self, depth: int) -> Tree:
        parts: list[Tree] = []
        while self.at < len(self.text) and not self.ahead("|") and not self.ahead(")"):
            parts.append(self.repeated(self.term(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts)) if parts else EMPTY

    def repeated(self, part: Tree) -> Tree:
        bounds = self.bounds()
        if bounds is None:
            return part
        if isinstance(part, Border | Look):
            raise self.unclear("a repeated assertion")
        self.take("?")
        low, high = bounds
        if self.at < len(self.text) and self.text[self.at] in "*+?":
            raise self.unclear("two quantifiers in a row")
        if max(low, high or 0) > MAX_COUNT:
            raise self.unclear("a repetition beyond what is counted")
        if high is not None and high < low:
            raise self.unclear("a repetition from more to less")
        return Repeat(part, low, high)

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return low, high
        if not self.take("{"):
            return None
        low = self.digits()
        high: int | None = low
        if self.take(","):
            high = None if self.ahead("}") else self.digits()
        if not self.take("}"):
            raise self.unclear("a { that opens no repetition")
        return low, high

    def digits(self) -> int:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        if start == self.at or self.at - start > LONGEST_NUMBER:
            raise self.unclear("a { that opens no repetition that is counted")
        return int(self.text[start : self.at])

    def term(self, depth: int) -> Tree:
        letter = self.next()
        match letter:
            case "^" | "$":
                return Border(letter)
            case ".":
                return Chars(charsets.complement(charsets.LINE_ENDS))
            case "(":
                return self.group(depth)
            case "[":
                return Chars(self.bracket())
            case "\\":
                return self.escape()
            case "*" | "+" | "?" | "{" | "}" | "]":
                raise self.unclear(f"a {letter} that stands alone")
            case _:
                return Chars(self.single(ord(letter)))

    def group(self, depth: int) -> Tree:
        part: Tree
        for opening, ahead, wanted in (
            ("?=", True, True),
            ("?!", True, False),
            ("?<=", False, True),
            ("?<!", False, False),
        ):
            if self.take(opening):
                part = Look(self.choice(depth + 1), ahead, wanted)
                break
        else:
            self.group_name()
            part = self.choice(depth + 1)
        if not self.take(")"):
            raise self.unclear("a ( without its )")
        return part

    def group_name(self) -> None:
        if self.take("?:") or not self.ahead("?"):
            return
        end = self.text.find(">", self.at)
        name = self.text[self.at + 2 : end]
        if not self.ahead("?<") or end < 0 or not name.isidentifier():
            raise self.unclear("a group that ECMA-262 does not have")
        self.at = end + 1

    # ------------------------------------------------------------ characters

    def single(self, code: int) -> Charset:
        if charsets.SURROGATES[0] <= code <= charsets.SURROGATES[1]:
            raise self.unclear("a lone surrogate")
        return ((code, code),)

    def escape(self) -> Tree:
        letter = self.next()
        if letter in "bB":
            return Border(letter)
        if letter in "123456789k":
            raise self.unclear("a back-reference")
        return Chars(self.escaped(letter, in_class=False))

    def escaped(self, letter: str, *, in_class: bool) -> Charset:
        if letter.lower() in CLASSES:
            named = CLASSES[letter.lower()]
            return named if letter.islower() else charsets.complement(named)
        if letter in "pP":
            return self.property(negated=letter == "P")
        if letter in CONTROL:
            return self.single(CONTROL[letter])
        return self.single(0x08 if in_class and letter == "b" else self.code(letter))

    def code(self, letter: str) -> int:
        """The code point that an escape of a single character spells."""
        match letter:
            case "0":
                if self.at < len(self.text) and self.text[self.at] in "0123456789":
                    raise self.unclear("an octal escape")
                return 0
            case "c":
                control = self.next()
                if not (control.isascii() and control.isalpha()):
                    raise self.unclear("\\c without a letter")
                return ord(control) % 32
            case "x":
                return self.hexadecimal(2)
            case "u":
                return self.unicode_escape()
            case _:
                if letter not in SYNTAX:
                    raise self.unclear(f"the escape \\{letter}, which ECMA-262 does not have")
                return ord(letter)

    def hexadecimal(self, length: int) -> int:
        digits = self.text[self.at : self.at + length]
        if len(digits) != length or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            raise self.unclear("a hexadecimal escape that is cut short")
        self.at += length
        return int(digits, 16)

    def unicode_escape(self) -> int:
        if self.take("{"):
            end = self.text.find("}", self.at)
            code = self.hexadecimal(end - self.at) if 0 < end - self.at < LONGEST_NUMBER else charsets.TOP + 1
            self.at += 1
            if code > charsets.TOP:
                raise self.unclear("a code point that Unicode does not have")
            return code
        code = self.hexadecimal(4)
        if code in charsets.HIGH_SURROGATES and self.take("\\u"):
            low = self.hexadecimal(4)
            if low not in charsets.LOW_SURROGATES:
                raise self.unclear("a lone surrogate")
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        return code

    def property(self, *, negated: bool) -> Charset:
        end = self.text.find("}", self.at)
        if not self.take("{") or end < 0:
            raise self.unclear("\\p without its {name}")
        name = self.text[self.at : end]
        self.at = end + 1
        found = charsets.unicode_property(name)
        if found is None:
            raise self.unclear(f"no table of the property {name}")
        return charsets.complement(found) if negated else found

    def bracket(self) -> Charset:
        negated = self.take("^")
        found: list[Charset] = []
        while not self.take("]"):
            low = self.class_atom()
            if self.ahead("-") and not self.ahead("-]"):
                self.at += 1
                high = self.class_atom()
                found.append(self.span(low, high))
            else:
                found.append(low)
        if not found:
            raise self.unclear("an empty class, which validators read differently")
        return charsets.complement(charsets.joined(*found)) if negated else charsets.joined(*found)

    def class_atom(self) -> Charset:
        letter = self.next()
        if letter == "\\":
            return self.escaped(self.next(), in_class=True)
        if letter in "&~-[" and self.ahead(letter) and letter != "-":
            raise self.unclear(f"{letter}{letter} in a class, which validators read differently")
        return self.single(ord(letter))

    def span(self, low: Charset, high: Charset) -> Charset:
        if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
            raise self.unclear("a range whose end is a class")
        if low[0][0] > high[0][0]:
            raise self.unclear("a range from more to less")
        return charsets.common(((low[0][0], high[0][0]),), charsets.ALL)
