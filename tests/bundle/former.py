"""The program as it was before there were packages, built of its own sources, and a store of many runs that it made: what a factory
upgrades from.

    tests/bundle/former.py CACHE OUT      CACHE: where the Debians for building are
"""

import contextlib
import pathlib
import shutil
import sqlite3
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The last commit before packages. It knew Debian 12 alone; with SUNDIALS of there inside it runs on 13, too.
COMMIT, RELEASE = "12cf07735821c7487f647e75e3bd65e40c045f77", "bookworm"
COPIES = 50  # of every run that was made, itself included
# Every table of a run that no trigger fills, with what tells whose its rows are.
TABLES = {"jobs": ("id", "result_id"), "results": ("id", "job"), "result_documents": ("result_id",), "series": ("owner",), "series_chunks": ()}


def build(cache, out):
    sys.path.insert(0, str(ROOT / "deploy/dist"))
    import debian
    made = cache / f"armdyn-{COMMIT[:12]}"
    if not made.exists():
        shop = debian.workshop(ROOT, RELEASE, cache, debian.native(), "libsundials-dev")
        tree = shop / "build/former"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        debian.call(["git", "-C", ROOT, "archive", "--format=tar", f"--output={tree / 'source.tar'}", COMMIT])
        debian.call(["tar", "-xf", tree / "source.tar", "-C", tree])
        # The same sources; a program that is slower, but sooner there.
        debian.within(shop, "make -C /build/former -j2 --silent build/armdyn 'FLAGS_release=-O1 -DNDEBUG' 'LIB_LIBS=-l:libsundials_arkode.a -lm'")
        shutil.move(tree / "build/armdyn", made)
        shutil.rmtree(tree)
    shutil.copyfile(made, out)
    out.chmod(0o755)


def copied(table, column):
    """What a column is in the copy `n` of a row: ids differ in the digits of their time, which no run has by itself."""
    if column in TABLES[table]:
        return f"printf('%04d', n) || substr({column}, 5)"
    whose = {"series": "id", "series_chunks": "series"}.get(table)
    return f"n * (SELECT max(id) FROM temp.first) + {column}" if column == whose else column


def multiply(path):
    """Of every run in a store COPIES; the number of runs then."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TEMP TABLE first AS SELECT max(id) AS id FROM series")
        numbers = f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {COPIES - 1})"
        for table in TABLES:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            db.execute(f"{numbers} INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(copied(table, one) for one in columns)} "
                       f"FROM numbers, {table} ORDER BY n")
        db.commit()
        return db.execute("SELECT count(*) FROM results").fetchone()[0]


if __name__ == "__main__":
    build(*(pathlib.Path(one).resolve() for one in sys.argv[1:]))
