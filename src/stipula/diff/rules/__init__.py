"""Every rule, a file each (a file for each keyword where a family is regular). Importing this registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from stipula.diff.rules.registry import BY_EDIT, RULES, NoSuchRule, Rule

for _found in sorted(one.name for one in iter_modules(__path__)):
    import_module(f"{__name__}.{_found}")


def rule_of(code: str) -> Rule:
    """The rule of this code. Raises NoSuchRule."""
    if code not in RULES:
        near = [one for one in RULES if code.lower() in one or one in code.lower()]
        raise NoSuchRule(rule=code, near=f"; near to it: {', '.join(near[:5])}" if near else "")
    return RULES[code]


__all__ = ["BY_EDIT", "RULES", "NoSuchRule", "Rule", "rule_of"]
