from stipula.enforce.tally import MAX_KEYS, Row, Tally
from stipula.wire.grammar import Violation


def violation(law: str) -> Violation:
    return Violation(1, "chunk", "", law, "this", "that")


def test_breaks_are_counted_by_surface_rule_and_action():
    tally = Tally()
    for surface, law, action in [
        ("b", "I3", "report"),
        ("a", "I3", "report"),
        ("b", "I3", "report"),
        ("b", "I3", "refuse"),
    ]:
        tally.count(surface, violation(law), action)
    assert tally.total() == 4
    assert tally.rows() == [Row("a", "I3", "report", 1), Row("b", "I3", "refuse", 1), Row("b", "I3", "report", 2)]


def test_surfaces_without_end_are_counted_together():
    tally = Tally()
    for number in range(MAX_KEYS + 50):
        tally.count(f"stream:/x#{number}", violation("unknown_event"), "report")
    assert tally.total() == MAX_KEYS + 50
    assert Row("other", "unknown_event", "report", 50) in tally.rows()
    assert len(tally.rows()) == MAX_KEYS + 1
