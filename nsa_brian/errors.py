"""What can be wrong with a model, and how names are shown in what is said of it."""


class ModelError(ValueError):
    """A model that makes no sense, or comes to nothing; the message says where and why."""


def printable(text: str) -> str:
    """The text with control characters escaped: names come from files, and a terminal would obey them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
