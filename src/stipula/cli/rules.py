"""`stipula rules` and `stipula rule ID`: what a diff can say, and the page of each."""

import json
from typing import Final

import click

from stipula.diff.rules import RULES, Rule, rule_of

FAMILIES: Final = ("schema", "openapi", "mcp", "events", "tool", "project")


@click.command(epilog="Example:\n\n  stipula rules --family mcp")
@click.option("--family", type=click.Choice(FAMILIES), help="Only the rules of one family.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to list.")
def rules(family: str | None, form: str) -> None:
    """List what a diff can say, with the level of each rule.

    Where no level is fixed, containment decides: breaking, undecided, note or safe.
    """
    listed = [one for _, one in sorted(RULES.items()) if family in (None, one.family)]
    if form == "json":
        told = [{"rule": one.code, "family": one.family, "level": one.level, "title": one.title} for one in listed]
        click.echo(json.dumps(told, indent=2))
        return
    wide = max(len(one.code) for one in listed)
    for one in listed:
        click.echo(f"{one.code:<{wide}}  {one.family:<7}  {_level(one):<9}  {one.title}")


@click.command(epilog="Example:\n\n  stipula rule field-removed")
@click.argument("code", metavar="ID")
def rule(code: str) -> None:
    """Show the page of one rule: what it says, why, an example, what to do instead."""
    found = rule_of(code)
    click.echo(f"{found.code} ({found.family}; level: {_level(found)}; since {found.since})\n\n{found.page}")


def _level(one: Rule) -> str:
    return one.level or "by values"
