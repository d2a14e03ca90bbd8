# Every target sets up what it needs first; see tools/setup.sh.
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint docs lab clean

BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

help:  ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /\1\t/' | expand -t 12

setup:  ## Virtual environment, packages, Chromium and X; a moment when done before
	@sh tools/setup.sh

demo: setup  ## Agents on real applications, from pixels and from the DOM; a table and a report
	$(BIN)/cuakit bench run quickstart --agent 'lexical-*' --agent 'random-*' --seeds 1

test: setup  ## All tests, the notebooks among them
	$(BIN)/python -m pytest -n 2 --dist loadfile --nbmake tests cuakit notebooks

lint: setup  ## Style, types, import contracts and the house rules in figures
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/python tools/house.py

docs: setup  ## The documentation, warnings as errors, in docs/_build/html
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

lab: setup  ## JupyterLab on the notebooks
	$(BIN)/jupyter lab --notebook-dir=. $$([ "$$(id -u)" != 0 ] || echo --allow-root) notebooks/00_quickstart.ipynb

clean:  ## Remove what was built, not what was measured
	rm -rf .venv docs/_build docs/tutorials .pytest_cache .mypy_cache .ruff_cache .import_linter_cache build dist
