"""Sets of characters as sorted ranges, and the classes that ECMA-262 names.

The alphabet is Unicode's scalar values: a JSON text cannot hold a lone surrogate.
"""

import functools
import unicodedata
from typing import Final, TypeAlias

Charset: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included, sorted, apart from each other."""

TOP: Final = 0x10FFFF
SURROGATES: Final = (0xD800, 0xDFFF)
HIGH_SURROGATES: Final = range(0xD800, 0xDC00)
LOW_SURROGATES: Final = range(0xDC00, 0xE000)
ALL: Final[Charset] = ((0, 0xD7FF), (0xE000, TOP))
NONE: Final[Charset] = ()
DIGIT: Final[Charset] = ((0x30, 0x39),)
WORD: Final[Charset] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Final[Charset] = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
LINE_ENDS: Final[Charset] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))

LONG_NAMES: Final = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
    "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs",
    "Private_Use": "Co", "Unassigned": "Cn",
}  # fmt: skip
GROUPS: Final = frozenset("LMNPSZC")


def joined(*sets: Charset) -> Charset:
    """Union."""
    ranges = sorted(part for one in sets for part in one)
    merged: list[tuple[int, int]] = []
    for low, high in ranges:
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def common(one: Charset, two: Charset) -> Charset:
    """Intersection."""
    found: list[tuple[int, int]] = []
    left = right = 0
    while left < len(one) and right < len(two):
        low, high = max(one[left][0], two[right][0]), min(one[left][1], two[right][1])
        if low <= high:
            found.append((low, high))
        if one[left][1] < two[right][1]:
            left += 1
        else:
            right += 1
    return tuple(found)


def complement(one: Charset) -> Charset:
    """All other characters."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in one:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= TOP:
        gaps.append((start, TOP))
    return common(tuple(gaps), ALL)


@functools.cache
def by_category() -> dict[str, Charset]:
    """Every general category of `unicodedata`, two letters each; made on the first use of a property."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    category = unicodedata.category
    start, current = 0, category("\0")
    for code in range(1, TOP + 1):
        name = category(chr(code))
        if name != current:
            ranges.setdefault(current, []).append((start, code - 1))
            start, current = code, name
    ranges.setdefault(current, []).append((start, TOP))
    return {name: common(tuple(parts), ALL) for name, parts in ranges.items()}


def unicode_property(name: str) -> Charset | None:
    """What a property escape names, None where these tables do not hold it (scripts and most binary properties)."""
    if name.startswith(("General_Category=", "gc=")):
        name = name.partition("=")[2]
    else:
        match name:
            case "Any":
                return ALL
            case "ASCII":
                return ((0, 0x7F),)
            case "ASCII_Hex_Digit" | "AHex":
                return ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
            case "Assigned":
                return complement(by_category()["Cn"])
            case _:
                pass
    name = LONG_NAMES.get(name, name)
    return by_category().get(name) or by_group().get(name)


@functools.cache
def by_group() -> dict[str, Charset]:
    """The general categories that are unions of others."""
    parts = by_category()
    groups = {group: joined(*(parts[name] for name in parts if name[0] == group)) for group in GROUPS}
    return {**groups, "LC": joined(parts["Lu"], parts["Ll"], parts["Lt"])}


PREFERRED: Final = ("az", "09", "AZ", "!~", "  ", "\u00a1\ud7ff", "\ue000\U0010ffff", "\x00\x1f", "\x7f\xa0")


@functools.lru_cache(4096)
def samples(one: Charset, wanted: int) -> tuple[str, ...]:
    """Up to `wanted` characters of a set, the readable first; fewer only if the set has no more."""
    found: list[str] = []
    for first, last in PREFERRED:
        for low, high in common(one, ((ord(first), ord(last)),)):
            for code in range(low, high + 1):
                if chr(code) not in found:
                    found.append(chr(code))
                if len(found) >= wanted:
                    return tuple(found)
    return tuple(found)
