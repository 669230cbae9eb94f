"""Small pieces of Markdown."""


def cell(text):
    """A text that fits into a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def table(header, rows, right=()):
    """A table; ``right`` are the columns aligned to the right."""
    rule = ["--:" if i in right else "---" for i in range(len(header))]
    lines = [[cell(each) for each in header], rule, *([cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text):
    """Inline code, or nothing."""
    text = str(text)
    return f"`{text}`" if text else ""


def block(text, language="text"):
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"
