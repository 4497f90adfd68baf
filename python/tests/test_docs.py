"""Every block of docs/python.md runs, one after another in one file per section; every example does."""

import re
import runpy

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs/python.md").read_text()
SECTIONS = {
    title: re.findall(r"^```python\n(.*?)^```", body, re.M | re.S)
    for title, body in re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
}
RUN = {title: blocks for title, blocks in SECTIONS.items() if blocks}


@pytest.mark.parametrize("title", RUN)
def test_blocks_run(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.py").write_text("\n".join(RUN[title]))
    runpy.run_path(str(tmp_path / "page.py"), run_name="__main__")


@pytest.mark.parametrize("example", sorted((ROOT / "python/examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
