# SPDX-License-Identifier: Apache-2.0
# The documentation site: every Markdown page that a user reads, where it is in the tree, so that a
# link works in the site as in the source. scripts/site.sh builds it.
import os
import pathlib
import re

root = pathlib.Path(__file__).resolve().parents[2]
cmake = (root / "CMakeLists.txt").read_text()

project = "weft"
author = "the weft authors"
release = version = re.search(r"project\(weft\s+VERSION\s+([0-9.]+)", cmake).group(1)
extensions = ["breathe", "myst_parser"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/**.md", "examples/**.md", "python/README.md",
                    "runtime/format/FORMAT.md"]
exclude_patterns = ["build", "**/build", "examples/**/node_modules"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# The first heading of a page need not be of the first level.
suppress_warnings = ["myst.header", "misc.highlighting_failure",
                     # C's "typedef struct x x;" declares the name twice
                     "duplicate_declaration.c", "duplicate_declaration.cpp"]

breathe_projects = {"weft": os.environ.get("WEFT_SITE_API", str(root / "build/site/xml"))}
breathe_default_project = "weft"
breathe_show_include = False

html_theme = "furo"
html_title = f"weft {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = []


def link_folders(app, page, source):
    """A link to a folder leads to its README; without one, only the text is left."""
    here = pathlib.Path(app.env.doc2path(page)).parent

    def replace(match):
        text, target = match.groups()
        folder = here / target
        if not folder.is_dir():
            return match.group(0)
        if (folder / "README.md").is_file():
            return f"[{text}]({target.rstrip('/')}/README.md)"
        return text

    source[0] = re.sub(r"\[([^\]]+)\]\(([^)#\s:]+)\)", replace, source[0])


def setup(app):
    app.connect("source-read", link_folders)
