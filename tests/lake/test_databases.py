"""A database behind a url is a lake: its tables, in its types, and the keys that it declares."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

import lakeview as lv
from lakeview.catalog import databases
from lakeview.lake.origin import Origin

SCHEMA = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT);
CREATE TABLE "my orders" (id INTEGER, c TEXT REFERENCES country (code), amount REAL);
INSERT INTO country VALUES ('AK', 'Alaska'), ('AL', 'Alabama');
INSERT INTO "my orders" VALUES (1, 'AK', 1.5), (9007199254740993, 'AL', NULL), (3, NULL, 2);
"""
# tests/lake/test_databases.py runs on a server, too: LAKEVIEW_POSTGRESQL=postgresql://user:password@host/database
SERVER = os.environ.get("LAKEVIEW_POSTGRESQL", "")


@pytest.fixture
def file(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database:
        database.executescript(SCHEMA)
    return tmp_path / "shop.db"


@pytest.fixture
def url(file, monkeypatch):
    """A url that a driver at hand takes."""
    driver = pytest.importorskip("adbc_driver_sqlite.dbapi")
    monkeypatch.setitem(databases.DRIVERS, "postgresql", ("adbc_driver_sqlite.dbapi", "postgresql"))
    connect = driver.connect
    monkeypatch.setattr(driver, "connect", lambda url: connect(str(file)))
    return "postgresql://ann:s3cret@host:5432/shop?password=s3cret2"


def test_its_tables_are_those_of_the_lake(url, tmp_path):
    lake = lv.open(url, store=tmp_path / "store")
    assert lake.index(engine="local").tables == 2
    assert set(lake.tables["table"]) == {"country", "my orders"}
    assert "s3cret" not in repr(lake) and "postgresql://host:5432/shop" in repr(lake)
    hits = lake.search(pd.Series(["9007199254740993", "1"]), k=1)
    assert (hits[0].table, hits[0].column, hits[0].overlap) == ("my orders", "id", 2)
    plan = lake.search(pd.DataFrame({"state": ["AK", "AL", "XX"]}), "state", k=1)[0].join(how="inner")
    assert plan.to_pandas()["name"].tolist() == ["Alaska", "Alabama"]
    report = lake.index(engine="local")
    assert (report.skipped, report.changed) == (2, 0)
    assert lv.open(url, store=tmp_path / "store").indexed_at == lake.indexed_at


def test_declared_keys_are_known(url, tmp_path):
    lake = lv.open(url, store=tmp_path / "store")
    lake.index(engine="local")
    keys = lake.foreign_keys()
    wanted = ("my orders", "c", "country", "code", 1.0, 1.0)
    assert tuple(keys.iloc[0]) == wanted
    assert not keys.iloc[1:].duplicated(["table", "column"]).any()
    assert lake.graph() is not None
    origin = Origin(url)
    assert [len(origin.declared_keys(tables)) for tables in (["my orders", "country"], ["my orders"])] == [1, 0]


def test_files_by_url_are_files(file):
    lake = lv.open(f"sqlite:///{file}", store=file.parent / "store")
    lake.index(engine="local")
    assert set(lake.tables["table"]) == {"shop.db/country", "shop.db/my orders"}
    assert lake.roots == [str(file)]


def test_what_goes_wrong_is_told_without_secrets(url, tmp_path, monkeypatch):
    def refuse(url: str) -> None:
        raise RuntimeError(f"no connection to {url} for ann with s3cret, s3cret2")

    monkeypatch.setattr("adbc_driver_sqlite.dbapi.connect", refuse)
    with pytest.raises(lv.NotFound, match="cannot be read") as caught:
        lv.open(url, store=tmp_path / "store").index(engine="local")
    assert "s3cret" not in str(caught.value)
    monkeypatch.setitem(databases.DRIVERS, "postgresql", ("no_such_driver", "postgresql"))
    with pytest.raises(lv.InputError, match=r"pip install lakeview\[postgresql\]"):
        lv.open(url, store=tmp_path / "store").index(engine="local")


@pytest.mark.skipif(not SERVER, reason="no LAKEVIEW_POSTGRESQL")
def test_a_server(tmp_path):
    lake = lv.open(SERVER, store=tmp_path / "store")
    lake.index(engine="local")
    assert set(lake.tables["table"]) == {"public.country", "s.orders"}
    assert tuple(lake.foreign_keys().iloc[0]) == ("s.orders", "c", "public.country", "code", 1.0, 1.0)
    assert lake.search(pd.Series(["9007199254740993"]), k=1)[0].column == "id"
    assert lake.search(pd.Series(["1.5", "2"]), k=1)[0].column == "amount"
    assert lake.index(engine="local").skipped == 2
