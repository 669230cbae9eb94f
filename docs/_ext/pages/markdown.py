"""Markdown helpers."""


def cell(text):
    """Return text escaped for a table cell."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def table(header, rows, right=()):
    """Return a table; ``right`` lists right-aligned columns."""
    rule = ["--:" if i in right else "---" for i in range(len(header))]
    lines = [[cell(each) for each in header], rule, *([cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text):
    """Return inline code; an empty text stays empty."""
    text = str(text)
    return f"`{text}`" if text else ""


def block(text, language="text"):
    """Return a code block."""
    return f"```{language}\n{text.rstrip()}\n```"
