"""The canonical algebra of jsonschema-rs, behind a fence: only a proof of containment is believed.

It is marked experimental. Whatever it raises, and every answer that is no proof, is "unknown"; a "no" is not passed on
either, because an answer of ours carries a witness.
"""

import jsonschema_rs
from jsonschema_rs import canonical

from stipula.diff.containment.sides import Side


def proves(left: Side, right: Side) -> bool:
    """Whether the algebra proves that the right side accepts all that the left one does."""
    if left.dialect is not right.dialect or not (left.measures.fit_for_algebra() and right.measures.fit_for_algebra()):
        return False
    try:
        lhs, rhs = _canonical(left), _canonical(right)
        return rhs.covers(lhs) == canonical.Containment.YES
    except Exception:  # noqa: BLE001 - the fence: a foreign library's errors of any kind mean "unknown"
        return False


def _canonical(side: Side) -> jsonschema_rs.CanonicalSchema:
    return jsonschema_rs.canonicalize(side.plain, draft=side.dialect.draft, validate_formats=False, offline=True)
