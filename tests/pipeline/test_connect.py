"""Spark Connect: index, searches, joins and frames of a Connect session are those of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

# In a process of its own: one that runs a classic session has no place for a Connect session. The server that
# SPARK_REMOTE asks for lives as long.
_CONNECTED = """
import json, sys
import pandas as pd
import lakeview as lv
from lakeview.pipeline import session

folder, base = sys.argv[1:]
there, here = lv.open(folder, store=base + "/there"), lv.open(folder, store=base + "/here")
there.index(engine="spark")
here.index(engine="local")
spark = session.get()

def known(lake):
    s = lake._snapshot
    return {(t, c): (s.types[n], int(s.rows[n]), *(a.tolist() for a in s.tokens_of(n)))
            for t, columns in s.by_table.items() for c, n in columns.items()}

frame = pd.DataFrame({"town": ["city 1", "CITY 2", None, "nowhere", "City 22"], "x": range(5)})
connected = spark.createDataFrame(frame)
answers = {"module": type(spark).__module__, "index": known(there) == known(here),
           "problems": there.problems.equals(here.problems)}

mine, theirs = here.search(frame, "town"), there.search(connected, "town")
answers["search"] = len(mine) > 0 and mine.to_pandas().equals(theirs.to_pandas())
for how in ("left", "outer"):
    a, b = mine[0].join(how).to_pandas(), theirs[0].join(how).to_spark().toPandas()
    answers[how] = sorted(map(str, a.fillna("").values.tolist())) == sorted(map(str, b.fillna("").values.tolist()))

names = {"spark": spark, "connected": connected, "frame": connected}
exec(theirs[0].join().code("pyspark"), names)
answers["code"] = list(names.values())[-1].count() == len(mine[0].join().to_pandas())

there.add(connected, name="extra")
here.add(frame, name="extra")
answers["add"] = known(there) == known(here)
there.remove("extra")

names = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Donald Knuth", "Barbara Liskov"]
turned = pd.DataFrame({"who": [", ".join(reversed(name.split())) for name in names]})
wrong = pd.DataFrame({"name": [name + "s" for name in names[:4]] + ["nobody"], "y": range(5)})
right = pd.DataFrame({"name": names, "n": range(6)})
send = spark.createDataFrame
plan = lv.auto_join(send(turned), send(right), how="inner")[0]
answers["transform"] = plan.counts().rows_out == plan.to_spark().count() == 6
made = [lv.fuzzy_join(f(wrong), f(right), on="name", threshold=0.5) for f in (send, pd.DataFrame)]
answers["fuzzy"] = made[0].counts() == made[1].counts() and made[1].counts().left_matched == 4
both = pd.DataFrame({"city": [f"City {i}" for i in range(20)], "at": pd.date_range("2024", periods=20)})
sent = send(both).selectExpr("city", "cast(at as timestamp_ntz) at")
made = [lake.search(frame, ["city", "at"])[0] for lake, frame in ((there, sent), (here, both))]
answers["composite"] = made[0].name == made[1].name and made[0].join().counts() == made[1].join().counts()

odd = spark.createDataFrame(pd.DataFrame({"x.y": ["City 1"], "a`b": ["no"], "id": ["City 2"], "ID": ["no"]}))
answers["names"] = [len(there.search(odd, name)) > 0 for name in odd.columns] == [True, False, True, False]
answers["column"] = there.search(connected, connected.town).to_pandas().equals(theirs.to_pandas())
answers["no rows"] = not there.search(connected.limit(0), "town")
answers["no rows sent"] = theirs[0].join("right", left=frame.head(0)).to_spark(spark).count() == theirs[0].rows

def told(call):
    try:
        return str(call())
    except lv.LakeviewError as error:
        return str(error)

answers["stream"] = "is a stream" in told(lambda: there.search(spark.readStream.format("rate").load(), "value"))
broken = connected.selectExpr("raise_error(concat('bad ', town)) town")
answers["broken"] = all("bad" in (said := told(call)) and "\\n" not in said
                        for call in (lambda: there.search(broken, "town"), theirs[0].join(left=broken).counts))

there.publish(base + "/published", partitions=3)
query = pd.Series(["city 1", "city 3", "b"], name="q")
answers["engine"] = there.search(query, engine="spark").to_pandas().equals(there.search(query).to_pandas())
held = theirs[0].join()
spark.stop()
answers["stopped"] = all("has stopped" in (said := told(call)) and "\\n" not in said
                         for call in (held.counts, held.to_spark, lambda: there.search(connected, "town")))
print(json.dumps(answers))
"""


@pytest.mark.spark
def test_a_connect_session_does_what_a_classic_one_does(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="pip install 'pyspark[connect]'")
    folder = tmp_path / "lake"
    folder.mkdir()
    for n in range(4):
        cities = pd.DataFrame({"city": [f"City {n + i}" for i in range(30)], "at": pd.date_range("2024", periods=30)})
        cities.to_csv(folder / f"cities{n}.csv", index=False)
        cities.to_parquet(folder / f"cities{n}.parquet")
    (folder / "broken.parquet").write_bytes(b"PAR1 no")
    run = subprocess.run(
        [sys.executable, "-c", _CONNECTED, str(folder), str(tmp_path)], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "SPARK_REMOTE": "local[2]", "SPARK_LOCAL_IP": "127.0.0.1"}, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3_000:]
    answers = json.loads(run.stdout.splitlines()[-1])
    assert answers.pop("module").startswith("pyspark.sql.connect")
    assert all(answers.values()), answers
