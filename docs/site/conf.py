"""Settings of Sphinx for the site of the docs; build.py lays the pages out and calls it."""

from typing import Any, Final

from sphinx.application import Sphinx

project = "Regicide"
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
suppress_warnings = ["misc.highlighting_failure"]  # its lexer takes the end of a quoted JSON for the prompt of a shell
myst_heading_anchors = 4
templates_path = ["templates"]
html_theme = "furo"
html_title = "Regicide"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_domain_indices = False
html_show_copyright = False
html_show_sphinx = False
autodoc_default_options = {"members": True, "imported-members": True, "show-inheritance": True}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"

SPANISH: Final = ".es"


def say_language(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Say in the page's ``lang`` that it is in Spanish, by the name of its file."""
    if page.endswith(SPANISH):
        context["language"] = SPANISH.removeprefix(".")


def setup(app: Sphinx) -> None:
    """Register what needs no extension of its own."""
    app.connect("html-page-context", say_language)
