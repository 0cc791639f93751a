"""Which of the things that went came back under another name: the same form, gone and come in one change."""

from collections.abc import Mapping


def renames(gone: Mapping[str, bytes], come: Mapping[str, bytes]) -> dict[str, str]:
    """Old name → new name. gone, come: name → its form as bytes.

    A change of case or of separators (`userId`, `user_id`) counts first; beyond that a form must be unique on both
    sides, for a guess between two would hide what happened.
    """
    found: dict[str, str] = {}
    for name in sorted(gone):
        spelt_alike = [other for other in sorted(come) if _plain(other) == _plain(name) and come[other] == gone[name]]
        if len(spelt_alike) == 1 and spelt_alike[0] not in found.values():
            found[name] = spelt_alike[0]
    left = {name: form for name, form in gone.items() if name not in found}
    right = {name: form for name, form in come.items() if name not in found.values()}
    for name, form in sorted(left.items()):
        partners = [other for other, its in right.items() if its == form]
        if len(partners) == 1 and list(left.values()).count(form) == 1:
            found[name] = partners[0]
    return found


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
