"""A page without a script: what studies, timings and the manual are written into."""

from __future__ import annotations

import html

__all__ = ["sheet"]

# The policy allows styles and nothing else: such a page asks for nothing and runs nothing.
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body>
"""
PLAIN = """:root { color-scheme: light dark; }
body { margin: 16px auto; max-width: 1300px; padding: 0 12px; font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif;
  color: light-dark(#1c2128, #e3e8ee); background: light-dark(#ffffff, #0d1014); }
h1 { font-size: 18px; overflow-wrap: anywhere; } h2 { font-size: 15px; margin: 22px 0 8px; }
table { display: block; width: max-content; max-width: 100%; overflow-x: auto; border-collapse: collapse;
  font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { text-align: right; padding: 3px 14px 3px 0; border-bottom: 1px solid light-dark(#d0d7de, #343c46); }
th:first-child, td:first-child { text-align: left; }
figure { margin: 0; overflow-x: auto; }
.notes { white-space: pre-line; max-width: 1000px; }"""


def sheet(title: str, body: str, *, css: str = PLAIN) -> str:
    """Return the text of an HTML file.

    title   plain text
    body    markup: what comes from elsewhere is escaped already
    css     its style; usually that of tables and figures
    """
    return f"{HEAD.format(title=html.escape(title), css=css)}{body.strip()}\n</body>\n</html>\n"
