"""A small MCP server on stdio, by hand: what it offers is told by its arguments, as JSON.

{"eras": ["legacy", "modern"], "tools": [...], "pages": n, "modern_tools": [...], "prompts": [...], "resources": [...],
 "stamp": {...} or null, "tool_from_env": NAME}. Other scripts use `serve`, too.
"""

import json
import os
import sys

TOOL = {
    "name": "echo",
    "title": "Echo",
    "description": "Says it again.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "outputSchema": {"type": "object", "properties": {"said": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
    "_meta": {"vendor/cost": 3},
    "x-vendor": ["kept", "as", "sent"],
}
STAMP = {"name": "honest", "version": "1.2.3"}
UNKNOWN = {"code": -32601, "message": "Method not found"}
MODERN, LEGACY = "2026-07-28", "2025-11-25"


class Offer:
    def __init__(self, told):
        self.eras = told.get("eras", ["legacy", "modern"])
        self.tools = told.get("tools", [TOOL])
        self.modern_tools = told.get("modern_tools", self.tools)
        self.pages = told.get("pages", 1)
        self.prompts = told.get("prompts")
        self.resources = told.get("resources")
        self.stamp = told.get("stamp", STAMP)
        self.cursor = told.get("cursor")
        if "tool_from_env" in told:
            name = told["tool_from_env"]
            self.tools = self.modern_tools = [TOOL | {"description": os.environ.get(name, "not there")}]

    def capabilities(self):
        offered = {"tools": {}}
        if self.prompts is not None:
            offered["prompts"] = {}
        if self.resources is not None:
            offered["resources"] = {}
        return offered

    def answer(self, method, params):
        """The result of a request, or None: the method is not known."""
        is_modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
        match method:
            case "initialize" if "legacy" in self.eras:
                stamp = self.stamp or {"name": "", "version": ""}
                return {"protocolVersion": LEGACY, "capabilities": self.capabilities(), "serverInfo": stamp}
            case "server/discover" if "modern" in self.eras:
                hello = {"supportedVersions": [MODERN], "capabilities": self.capabilities()} | cached()
                return hello | ({"_meta": {"io.modelcontextprotocol/serverInfo": self.stamp}} if self.stamp else {})
            case "tools/list":
                return self.page("tools", self.modern_tools if is_modern else self.tools, params, is_modern)
            case "prompts/list" if self.prompts is not None:
                return self.page("prompts", self.prompts, params, is_modern)
            case "resources/list" if self.resources is not None:
                return self.page("resources", self.resources, params, is_modern)
            case "resources/templates/list" if self.resources is not None:
                return self.page("resourceTemplates", [], params, is_modern)
            case _:
                return None

    def page(self, member, items, params, is_modern):
        size = max(1, -(-len(items) // self.pages))
        start = int(params.get("cursor") or 0)
        page = {member: items[start : start + size]} | (cached() if is_modern else {})
        return page | ({"nextCursor": str(start + size)} if start + size < len(items) else {})


def cached():
    return {"resultType": "complete", "ttlMs": 1000, "cacheScope": "private"}


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def serve(answer):
    """Answer each request by answer(method, params): a result, None for an unknown method, or {"error": …}."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:  # a notification, or an answer of theirs
            continue
        result = answer(request["method"], request.get("params") or {})
        if result is None or set(result) == {"error"}:
            send({"jsonrpc": "2.0", "id": request["id"], "error": result["error"] if result else UNKNOWN})
        else:
            send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def offer_of(argv):
    return Offer(json.loads(argv[1]) if len(argv) > 1 else {})


if __name__ == "__main__":
    serve(offer_of(sys.argv).answer)
