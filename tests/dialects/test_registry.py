import pytest

from stipula import dialects
from stipula.dialects.dialect import DialectUnknown


@pytest.mark.parametrize("name", dialects.NAMES)
def test_a_dialect_is_found_by_its_own_name(name):
    assert dialects.by_name(name).name == name


def test_an_unknown_dialect_is_named_with_those_there_are():
    with pytest.raises(DialectUnknown, match=r"'morse'.*openai_chat"):
        dialects.by_name("morse")
