"""Operations that came, went or are on their way out.

Why: A caller of an operation that is gone gets an error, whatever the shapes say. A day of sunset that was announced,
and has come, takes the sting out of it.
Instead: Mark the operation deprecated, announce its last day in `x-sunset`, and remove it after that day.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "openapi",
    __doc__,
    {
        "operation-removed": ("breaking", "the operation {name} is gone"),
        "operation-renamed": ("breaking", "the operation is now {new}"),
        "operation-added": ("safe", "the operation {name} came"),
        "operation-removed-after-sunset": ("note", "the operation {name} is gone, after the day that was announced"),
        "operation-removed-before-sunset": (
            "breaking",
            "the operation {name} is gone before the day that was announced",
        ),
        "operation-deprecated": ("note", "the operation is on its way out"),
        "operation-reactivated": ("note", "the operation is no longer on its way out"),
        "deprecated-without-sunset": ("note", "no last day is announced in x-sunset"),
        "sunset-set": ("note", "the last day is {new}"),
        "sunset-brought-forward": ("warning", "the last day comes sooner: {new}, it was {old}"),
        "sunset-removed": ("warning", "the last day {old} is no longer announced"),
        "operation-id-changed": ("note", "the operation is called {new} in generated clients now, {old} before"),
        "operation-remark-changed": ("note", "{name} of the operation is another"),
    },
)
