"""The site: ``make docs`` writes it to ``docs/_build/html``, without the network."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "docs" / "_ext"), str(ROOT)]

import pullback  # noqa: E402  # after its folder is known

project = "Pullback"
author = "The Pullback authors"
copyright = "the Pullback authors"
version = release = pullback.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "contents",
    "repository_files",
]
exclude_patterns = ["_build", "**/README.txt"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r".*")]

# Pages are the same files that GitHub shows.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "config.cache"]

autodoc_typehints = "none"  # the parameters are said in words
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
add_module_names = False
python_use_unqualified_type_names = True
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_custom_sections = ["Source"]
napoleon_preprocess_types = False

sphinx_gallery_conf = {
    "examples_dirs": ["../src/pullback/gallery/pages"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "Pullback"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_search_scorer = str(ROOT / "docs" / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "Pullback"},
    "show_prev_next": True,
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
