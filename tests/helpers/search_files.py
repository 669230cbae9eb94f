"""The files of a search, to be compared byte for byte."""


def files(folder):
    """Every file by its name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written(folder):
    """All but what is derived from the others: figures, page and measurements."""
    derived = (".png", ".html", "measured.npz")
    return {name: content for name, content in files(folder).items() if not name.endswith(derived)}
