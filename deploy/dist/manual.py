#!/usr/bin/python3
"""The manual as one page that needs nothing beside it:  deploy/dist/manual.py OUT.html"""

import base64
import pathlib
import re
import sys

import markdown
from markdown.extensions.toc import slugify

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In the order of a reader; what is not named here comes after, by name.
FIRST = ["README.md", "deploy/doc/install.md", "deploy/doc/operate.md", "deploy/doc/api-tour.md", "deploy/doc/pages.md", "deploy/doc/models.md",
         "deploy/doc/dynamics.md", "deploy/doc/trajectories.md", "deploy/doc/controllers.md", "deploy/doc/datasets.md", "deploy/doc/identification.md"]
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 58rem; margin: 0 auto; padding: 1rem; color: #222; }
pre { background: #f4f4f4; padding: .7rem; overflow-x: auto; } code { font: 14px ui-monospace, monospace; }
table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: .2rem .5rem; vertical-align: top; text-align: left; }
section { border-top: 2px solid #888; margin-top: 3rem; } img { max-width: 100%; } @media print { section { break-before: page; } }
"""


def pages():
    there = {str(path.relative_to(ROOT)) for path in [*ROOT.glob("deploy/doc/*.md"), *ROOT.glob("*.md")]}
    return [path for path in FIRST if path in there] + sorted(there - {*FIRST})


def name_of(path):
    return pathlib.PurePath(path).stem.lower()


def picture(path):
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()


def led(page, target, known):
    """Where a link of a page leads in the one page; what is not in it stays a text of the sources."""
    if re.match(r"[a-z]+:", target):
        return target
    path, _, anchor = target.partition("#")
    file = str((ROOT / page).parent.joinpath(path).resolve().relative_to(ROOT)) if path else page
    if file not in known:
        return None
    return f"#{name_of(file)}" + (f"-{anchor}" if anchor else "")


def section(page, known):
    name = name_of(page)
    text = re.sub(r"^(```\w+) .*$", r"\1", (ROOT / page).read_text(), flags=re.M)  # a second word after a fence is for our tests
    html = markdown.markdown(text, extensions=["tables", "fenced_code", "sane_lists", "toc"], output_format="html",
                             extension_configs={"toc": {"slugify": lambda text, sep: f"{name}-{slugify(text, sep)}"}})
    html = re.sub(r'src="([^":]+)"', lambda m: f'src="{picture((ROOT / page).parent / m[1])}"', html)

    def link(match):
        to = led(page, match[1], known)
        return f'<a href="{to}">{match[2]}</a>' if to else match[2]

    html = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, html, flags=re.S)
    titles = re.findall(r"^#+ ", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    if len(titles) != len(re.findall(r"<h\d", html)):
        sys.exit(f"manual: not every heading of {page} became one")
    title = re.search(r"<h1[^>]*>(.*?)</h1>", html)[1]
    return title, f'<section id="{name}">\n{html}\n</section>\n'


def whole(version):
    known = pages()
    parts = [(name_of(page), *section(page, known)) for page in known]
    contents = "".join(f'<li><a href="#{name}">{title}</a></li>\n' for name, title, _ in parts)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>armdyn {version}</title>\n<style>{STYLE}</style>\n</head>\n'
            f'<body>\n<h1>armdyn {version}</h1>\n<ul>\n{contents}</ul>\n{"".join(text for _, _, text in parts)}</body>\n</html>\n')


def dangling(html):
    """Links within the page that lead nowhere."""
    there = set(re.findall(r'id="([^"]+)"', html))
    return sorted({one for one in re.findall(r'href="#([^"]+)"', html)} - there)


if __name__ == "__main__":
    text = whole(re.search(r'ARMDYN_VERSION "(.*)"', (ROOT / "lib/include/armdyn/armdyn.h").read_text())[1])
    if lost := dangling(text):
        sys.exit(f"manual: links that lead nowhere: {' '.join(lost)}")
    pathlib.Path(sys.argv[1]).write_text(text)
