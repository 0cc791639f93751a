"""What goes wrong, said so that a person can act: a stable code, what was seen, what was wanted, what to do.

A `Problem` is raised where the fault is noticed and turned into text, an HTTP answer or an exit code at the edge, once.
Code areas: CFG configuration, CON contract and lock, COL collecting, DIF diff, STR streams, DIA dialects, GTW gateway,
CHT chat, STO storage, MDL the local model, CLI commands, PYT the pytest plugin.
"""

from typing import ClassVar, Final

EXIT_FINE: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNAVAILABLE: Final = 3
EXIT_INTERNAL: Final = 4
EXIT_UNTRUSTWORTHY: Final = 5


class Problem(Exception):  # noqa: N818 - a fault with a name is a problem; an error is what the reader makes of it
    """A fault that has a name. Subclasses stand beside the code that raises them and set the class facts.

    code: stable, three letters and three digits. status: what HTTP answers. exit_code: what a command ends with.
    hint: one sentence with `{facts}` in it: what was seen, what was wanted, what to do.
    """

    code: ClassVar[str] = "GEN000"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = EXIT_UNAVAILABLE
    hint: ClassVar[str] = "{what}"

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        super().__init__(self.hint.format(**facts))
