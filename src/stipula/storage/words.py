"""What a word is to the search, the same for every backend."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text without letter case and accents, as the full-text index of SQLite sees them."""
    bare = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return _WORD.findall(bare.lower())
