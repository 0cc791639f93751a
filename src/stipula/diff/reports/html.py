"""The report as one HTML file that needs nothing else: no script, nothing fetched."""

from html import escape
from itertools import groupby

from stipula.diff.finding import Finding
from stipula.diff.reports.words import Report, place, plain, proofs, summary

LOOK = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --accent: #2a6fb0; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 72ch; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.3rem; margin-bottom: .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
article { margin: 1.25rem 0; }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .125rem 1rem; margin: .5rem 0 0; }
dt { opacity: .65; } dd { margin: 0; }
.rule { opacity: .65; } .breaking h2, .breaking strong { color: light-dark(#a3262a, #ff8a80); }
"""


def write(report: Report) -> str:
    """The report as text."""
    parts = [
        f'<section class="{level}"><h2>{level}</h2>{"".join(_article(report, one) for one in group)}</section>'
        for level, group in groupby(report.findings, key=lambda one: one.level)
    ]
    subject = escape(plain(report.subject))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{subject}</title><style>{LOOK}</style></head>\n"
        f"<body><h1>{subject}</h1><p>{escape(summary(report.findings))}</p>\n" + "\n".join(parts) + "\n</body></html>"
    )


def _article(report: Report, finding: Finding) -> str:
    spots = [("at", str(one)) for one in report.spots_of(finding)]
    facts = "".join(
        f"<dt>{escape(label)}</dt><dd><code>{escape(value)}</code></dd>" for label, value in [*spots, *proofs(finding)]
    )
    return (
        f"<article><code>{escape(place(finding))}</code><br><strong>{escape(plain(finding.message))}</strong> "
        f'<code class="rule">{escape(finding.rule)} {finding.fingerprint}</code><dl>{facts}</dl></article>'
    )
