"""What fails in Spark, told in one line."""

from __future__ import annotations

import pytest

from lakeview.errors import InputError, JobFailed, LakeviewError, SparkUnavailable
from lakeview.pipeline import failures


class Py4JJavaError(Exception):
    __module__ = "py4j.protocol"


class PythonException(Exception):
    __module__ = "pyspark.errors.exceptions.captured"


class AnalysisException(Exception):
    __module__ = "pyspark.errors.exceptions.captured"


TRACEBACK = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/spark/worker.py", line 4207, in invoke_udf
    func, profiler = read_udfs(
{last}

JVM stacktrace:
org.apache.spark.api.python.PythonException
	at org.apache.spark.api.python.BasePythonRunner
"""
JAVA = """An error occurred while calling o101.getResult.
: org.apache.spark.SparkException: Exception thrown in awaitResult:
	at org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:70)
Caused by: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 2.0 failed 1 times
	at org.apache.spark.scheduler.Task.run(Task.scala:147)
Caused by: java.io.IOException: {last}
	... 32 more
"""
MISMATCH = (
    "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different "
    "version: 3.9 than that in driver: 3.11, PySpark cannot run with different minor versions.\nPlease check"
)


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (RuntimeError("java.lang.OutOfMemoryError: Java heap space"), SparkUnavailable, "ran out of memory"),
        (RuntimeError("Py4JNetworkError: Answer from Java side is empty"), SparkUnavailable, "run the same call again"),
        (RuntimeError("Job 1 cancelled because SparkContext was shut down"), SparkUnavailable, "or starts one"),
        (RuntimeError("[NO_ACTIVE_SESSION] No session"), SparkUnavailable, "connect again"),
        (Py4JJavaError(JAVA.format(last="the disk is on fire")), JobFailed, "Spark failed: the disk is on fire"),
        (Py4JJavaError(JAVA.format(last='Cannot run program "/no/python": error=2, No such file')), SparkUnavailable,
         "there is no /no/python; set PYSPARK_PYTHON"),
        (PythonException(TRACEBACK.format(last="ValueError: bad row\n  of two lines")), JobFailed,
         "Spark failed: ValueError: bad row"),
        (PythonException(TRACEBACK.format(last="ModuleNotFoundError: No module named 'scipy.stats'")), SparkUnavailable,
         "Spark's workers lack scipy.stats: install it there"),
        (PythonException(TRACEBACK.format(last=MISMATCH)), SparkUnavailable,
         "run Python 3.9 and this is Python 3.11: set PYSPARK_PYTHON to a Python 3.11"),
        (AnalysisException("[UNRESOLVED_COLUMN] There is no `x`.;\n'Project ['x]\n+- Range"), InputError,
         "[UNRESOLVED_COLUMN] There is no `x`."),
    ],
)  # fmt: skip
def test_what_fails_in_spark_is_told_in_one_line(error: Exception, kind: type[LakeviewError], says: str) -> None:
    told = failures.told(error)
    assert type(told) is kind
    assert says in str(told)
    assert "\n" not in str(told) and len(str(told)) < 400


def test_other_errors_stay_and_a_dead_session_explains_any() -> None:
    for error in (ValueError("mine"), RuntimeError("An error occurred while calling o108.getResult"), InputError("x")):
        assert failures.told(error) is error
    told = failures.told(RuntimeError("An error occurred while calling o108.getResult"), alive=False)
    assert isinstance(told, SparkUnavailable) and failures.AGAIN in str(told)
    assert str(failures.told(RuntimeError("x"), False, "make df anew")) == "Spark has stopped; make df anew"
