"""The tier `types`: what stops a client that was generated from the document from compiling, though the wire holds."""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from stipula.diff.finding import Finding

STOPS_COMPILING: Final = {
    # by rule, the reason
    "field-removed": "code that names the field does not compile",
    "field-renamed": "code that names the field does not compile",
    "operation-id-changed": "the generated function is called otherwise",
    "format-added": "another type is generated for the text",
    "format-removed": "another type is generated for the text",
    "format-changed": "another type is generated for the text",
    "type-changed": "another type is generated",
    "type-widened": "code that expects the narrower type does not compile",
    "type-narrowed": "code that sends the wider type does not compile",
    "null-allowed": "code that does not ask for null does not compile",
    "null-refused": "code that sends null does not compile",
    "required-removed": "the field may be undefined now",
    "required-added": "code that leaves the field out does not compile",
    "value-removed": "code that names the value does not compile",
    "value-added": "a switch that names every value is no longer whole",
}


def for_generated_clients(finding: Finding) -> Finding:
    """The finding as that tier sees it."""
    why = STOPS_COMPILING.get(finding.rule)
    if why is None or finding.level == "breaking":
        return finding
    return replace(
        finding, level="breaking", message=f"{finding.message}; {why}", witness=UNSET, evidence={"types": why}
    )
