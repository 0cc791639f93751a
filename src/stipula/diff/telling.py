"""From a rule to a finding: the sentence, the fingerprint, what stands behind it."""

from msgspec import UNSET

from stipula.contract.model import Json, Reader
from stipula.diff.change import Change, Layer
from stipula.diff.compare import fingerprint
from stipula.diff.finding import Finding, Level
from stipula.diff.rules import rule_of


class Told:
    """What a sentence speaks of."""

    def __init__(self, old: Json, new: Json, name: str) -> None:
        """Old, new: UNSET where there is none."""
        self.old, self.new, self.name = old, new, name


def tell(
    code: str,
    surface: str,
    pointer: str = "",
    *,
    old: Json = UNSET,
    new: Json = UNSET,
    name: str = "",
    level: Level | None = None,
    layer: Layer = "interface",
    evidence: Json = UNSET,
    consumers: tuple[Reader, ...] = (),
) -> Finding:
    """A finding of a rule that states its level; another level only where a case of it is told apart."""
    rule = rule_of(code)
    change = Change(surface=surface, pointer=pointer, rule=code, layer=layer, old=old, new=new)
    return made(
        change,
        level or rule.level or "warning",
        rule.sentence(Told(old, new, name)),
        evidence=evidence,
        consumers=consumers,
    )


def made(
    change: Change,
    level: Level,
    message: str,
    *,
    witness: Json = UNSET,
    evidence: Json = UNSET,
    consumers: tuple[Reader, ...] = (),
) -> Finding:
    """A finding of a change, its rule and level settled."""
    return Finding(
        rule=change.rule, level=level, surface=change.surface, pointer=change.pointer, message=message,
        layer=change.layer, fingerprint=fingerprint(change), old=change.old, new=change.new, witness=witness,
        evidence=evidence, consumers=consumers,
    )  # fmt: skip
