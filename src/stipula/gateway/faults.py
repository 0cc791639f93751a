"""What a caller is told of a fault: status, kind, words. The dialect spells it; this file only says what is true."""

import logging
from typing import Final

from msgspec import Struct

from stipula.dialects.dialect import DialectEdge
from stipula.errors import Problem
from stipula.gateway.attempts import Refused
from stipula.gateway.clients import ModelForbidden, Unauthenticated
from stipula.gateway.relay import ModelUnknown, TailRefused
from stipula.gateway.retry import retry_after_text
from stipula.redact import redact

_log: Final = logging.getLogger("stipula.gateway")
_KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
    415: "invalid_request_error",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
}
_INTERNAL: Final = 500


class Fault(Struct, frozen=True, kw_only=True):
    """One fault as it is told. wait_s: when asking again makes sense. is_spent: asking again at once does not."""

    status: int
    kind: str
    message: str
    param: str | None = None
    code: str | None = None
    wait_s: float | None = None
    is_spent: bool = False

    def headers(self) -> dict[str, str]:
        """What clients look at before they try again."""
        headers = {} if self.wait_s is None else {"retry-after": retry_after_text(self.wait_s)}
        return headers | {"x-should-retry": "false"} if self.is_spent else headers


def plain(status: int, message: str, *, code: str | None = None) -> Fault:
    """A fault that its status says all about."""
    return Fault(status=status, kind=_KINDS.get(status, "api_error"), message=message, code=code)


def of(why: Exception) -> Fault:
    """The fault in an exception; what has no name is logged and told as such, without its words."""
    match why:
        case Refused():
            return _refused(why)
        case DialectEdge():
            kind = _KINDS[400]
            return Fault(status=why.status, kind=kind, message=why.message, param=why.param, code=why.error_code)
        case TailRefused():
            return Fault(status=why.status, kind=_KINDS[400], message=str(why), param=why.param)
        case ModelUnknown():
            return Fault(status=why.status, kind=_KINDS[404], message=str(why), param="model", code="model_not_found")
        case Problem():
            return plain(why.status, redact(_sentence(str(why))), code=_CODES.get(type(why), why.code))
        case _:
            _log.error("a request ended in a fault without a name", exc_info=why)
            return plain(_INTERNAL, "The gateway failed; its log says more, under this request id.")


_CODES: Final[dict[type[Problem], str]] = {Unauthenticated: "invalid_api_key", ModelForbidden: "model_forbidden"}
"""Words that clients know, in place of our own codes."""


def _refused(why: Refused) -> Fault:
    failed = why.failed
    return Fault(
        status=failed.status,
        kind=failed.kind,
        message=failed.message,
        param=failed.param,
        code=failed.code,
        wait_s=why.wait_s,
        is_spent=why.is_spent,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
