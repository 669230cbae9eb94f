"""Sphinx configuration. `python -m sphinx -W -b html docs site` builds the documentation, without network access."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

SIDE = ("ipynb", "py", "py.md5", "zip", "json")  # files that the gallery writes beside a page

project = "NSA on Brian2"
copyright = "the nsa-brian developers; MIT licence"
release = version = version_of("nsa-brian")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "pages",
    "mathml",
]
exclude_patterns = ["_ext", "_templates", "generated/scripts", "generated/notebooks"]
exclude_patterns += [f"generated/examples/*.{suffix}" for suffix in SIDE]
nitpicky = False

# Light or dark theme, following the reader's system.
html_theme = "pydata_sphinx_theme"
html_title = f"{project} {release}"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_logo = "_static/network.png"
html_css_files = ["nsa.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": project},
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "header_links_before_dropdown": 7,
}
html_math_renderer = "mathml"

# Pages and notebooks are MyST Markdown. Notebooks run again when they have changed.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "generated" / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_output_stderr = "remove"  # messages of compiling engines

# The reference is made from numpydoc docstrings, which give the types.
autosummary_generate = True
autosummary_imported_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_preprocess_types = False
copybutton_exclude = ".linenos, .gp, .go"

# Examples run from a copy, because they write files into their folder.
sphinx_gallery_conf = {
    "examples_dirs": str(HERE / "generated" / "scripts"),
    "gallery_dirs": str(HERE / "generated" / "examples"),
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "reset_modules": ("matplotlib", "pages.brian.reset"),  # all examples run in one process
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
    "default_thumb_file": str(HERE / "_static" / "network.png"),
}
suppress_warnings = ["ref.python"]  # several classes have attributes such as u
