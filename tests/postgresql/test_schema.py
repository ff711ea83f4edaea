"""Both schemas, migrations/sqlite and migrations/postgresql, lead to the same tables: column by column, key by key, index by index."""

import collections
import contextlib
import re
import sqlite3
import subprocess

import pytest

from support import postgresql
from support.migrations import for_postgresql, migrations
from support.process import binary

pytestmark = pytest.mark.skipif(not postgresql.programs(), reason="PostgreSQL is not installed")
TYPES = {"TEXT": "text", "INTEGER": "bigint", "REAL": "double precision", "BLOB": "bytea"}
# SQLite has rows numbered by itself, and one process that holds the file.
ONLY_POSTGRESQL = {("holder",), ("counters",), ("nodes",), ("node_workers",), ("node_frames",), ("audit_inbox",), ("webhooks", "rowid"), ("deliveries", "rowid"), ("alarms", "rowid")}
ONLY_SQLITE = "result_numbers", "result_search"  # an index of trigrams, and the tables that it is kept in
EXPRESSIONS = {"code_proofs": "md5(request)"}  # a request may be longer than an index takes


NEWEST = len(migrations("sqlite"))  # each makes the next version


@pytest.fixture(scope="module")
def present():
    """A database that `armdyn upgrade` made: what a query answers."""
    address = postgresql.shared().make()
    done = subprocess.run([binary(), "upgrade", "--store", address], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"schema {NEWEST}, which was 0\n"), done.stderr
    again = subprocess.run([binary(), "upgrade", "--store", address], capture_output=True, text=True, timeout=60)
    assert (again.returncode, again.stdout) == (0, f"schema {NEWEST}, as this program has it\n"), again.stderr
    return lambda text: postgresql.shared().query(address, text)


@pytest.fixture(scope="module")
def embedded():
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        for path in migrations("sqlite"):
            db.executescript(path.read_text())
        yield db


def tables(db):
    return [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") if not name.startswith(ONLY_SQLITE)]


def test_every_step_has_a_file_for_each():
    sqlite, others = ([path.name for path in migrations(engine)] for engine in ("sqlite", "postgresql"))
    assert [name for name in sqlite if name > "0030_result_lists.sql"] == others[1:]


def test_a_file_for_both_makes_the_same_tables(tmp_path):
    """In SQLite's words; no migration of today is one, so this one is made here."""
    text = """-- INTEGER in a comment
CREATE TABLE trials (name TEXT PRIMARY KEY, size INTEGER NOT NULL DEFAULT 0, share REAL, bytes BLOB) STRICT, WITHOUT ROWID;
ALTER TABLE trials ADD COLUMN kind TEXT NOT NULL DEFAULT 'a TEXT';
CREATE INDEX trials_kind ON trials (kind, name);
"""
    address = postgresql.shared().make()
    postgresql.shared().query(address, for_postgresql(text))
    assert postgresql.shared().query(address, "SELECT attname, format_type(atttypid, atttypmod), coalesce(collname, '') FROM pg_attribute"
                                     " LEFT JOIN pg_collation l ON l.oid = attcollation WHERE attrelid = 'trials'::regclass AND attnum > 0 ORDER BY attnum") == [
        ["name", "text", "C"], ["size", "bigint", ""], ["share", "double precision", ""], ["bytes", "bytea", ""], ["kind", "text", "C"]]
    postgresql.shared().query(address, "INSERT INTO trials (name) VALUES ('b')")
    assert postgresql.shared().query(address, "SELECT kind, size FROM trials") == [["a TEXT", "0"]]
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(text)
        db.execute("INSERT INTO trials (name) VALUES ('b')")
        assert list(db.execute("SELECT kind, size FROM trials")) == [("a TEXT", 0)]


def test_every_column_is_the_same(present, embedded):
    theirs = {(table, name): (kind, required == "t", generated == "s", collation)
              for table, name, kind, required, generated, collation in present(
                  "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, coalesce(l.collname, '')"
                  " FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation l ON l.oid = a.attcollation"
                  " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped"
                  " AND c.relname <> 'schema_version'")}
    ours = {}
    for table in tables(embedded):
        for _, name, kind, required, _, key, hidden in embedded.execute(f"PRAGMA table_xinfo({table})"):
            virtual = hidden == 2
            ours[table, name] = (TYPES[kind], bool(required or key), virtual, "C" if kind == "TEXT" else "")
    assert {column for column in theirs.keys() - ours.keys() if column not in ONLY_POSTGRESQL and column[:1] not in ONLY_POSTGRESQL} == set()
    different = {column: (shape, theirs.get(column)) for column, shape in ours.items() if theirs.get(column) != shape}
    assert different == {}


def test_what_refers_to_what_is_the_same(present, embedded):
    theirs = {tuple(row) for row in present(
        "SELECT conrelid::regclass, string_agg(a.attname, ',' ORDER BY k.place), confrelid::regclass, confdeltype FROM pg_constraint,"
        " unnest(conkey) WITH ORDINALITY AS k (number, place), pg_attribute a WHERE contype = 'f' AND attrelid = conrelid"
        " AND attnum = k.number GROUP BY pg_constraint.oid, conrelid, confrelid, confdeltype")}
    ours = set()
    for table in tables(embedded):
        keys = collections.defaultdict(list)
        for number, place, other, column, _, _, deleted, _ in embedded.execute(f"PRAGMA foreign_key_list({table})"):
            keys[number, other, {"NO ACTION": "a", "CASCADE": "c", "SET NULL": "n"}[deleted]].append((place, column))
        for (_, other, deleted), columns in keys.items():
            ours.add((table, ",".join(column for _, column in sorted(columns)), other, deleted))
    assert theirs == ours


def plain(text):
    """An index's definition as both engines may write it, without names of types and needless parentheses."""
    text = re.sub(r"::\w+( \w+)?(\[\])?|COLLATE \"C\"|USING btree|public\.|[()\"]", "", text)
    text = re.sub(r"= ANY ARRAY\[(.*?)\]", r"IN \1", re.sub(r"<> ALL ARRAY\[(.*?)\]", r"NOT IN \1", text))
    return re.sub(r"\s+", " ", text.replace("WHERE kept = 1", "WHERE kept")).strip().lower()


def test_every_index_is_the_same(present, embedded):
    """And what is unique: lists are found in them, and two alarms of one cause cannot be."""
    theirs = {name: plain(text) for name, text in present("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")}
    ours = {name: plain(text) for name, text in embedded.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")}
    assert {name: text for name, text in ours.items() if theirs.get(name) != text} == {}
    unique = {(table, columns) for table, columns in present(
        "SELECT t.relname, string_agg(pg_get_indexdef(i.indexrelid, k, true), ',' ORDER BY k) FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid,"
        " generate_series(1, i.indnkeyatts) AS k WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace GROUP BY t.relname, i.indexrelid")}
    for table in tables(embedded):
        key = [name for place, name in sorted((r[5], r[1]) for r in embedded.execute(f"PRAGMA table_xinfo({table})")) if place]
        assert (table, ",".join(key)) in unique
        for _, index, is_unique, origin, partial in embedded.execute(f"PRAGMA index_list({table})"):
            columns = ",".join(row[2] or "" for row in embedded.execute(f"PRAGMA index_info({index})"))
            if is_unique and origin == "u":
                expected = columns if table not in EXPRESSIONS else columns.replace("request", EXPRESSIONS[table])
                assert (table, expected) in unique, (table, columns)
