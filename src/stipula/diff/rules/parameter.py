"""How a parameter is written into a call.

Why: The form (`style`, `explode`, `allowReserved`) says how lists and objects become text; another form is another
text.
Instead: Add a parameter with the new form beside the old one.
"""

from stipula.diff.rules.registry import contract_rules

contract_rules(
    "openapi",
    __doc__,
    {
        "parameter-form-changed": ("breaking", "the parameter {name} is written otherwise: {new}, before {old}"),
        "empty-value-refused": ("breaking", "the parameter {name} may no longer come without a value"),
        "empty-value-allowed": ("safe", "the parameter {name} may come without a value"),
        "parameter-deprecated": ("note", "the parameter {name} is on its way out"),
        "parameter-reactivated": ("note", "the parameter {name} is no longer on its way out"),
    },
)
