"""What a url is told as, what lies in its folder, and what no file system takes."""

from __future__ import annotations

import pytest

from lakeview.catalog.urls import file_system, shown, why, within
from lakeview.errors import InputError


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("s3://AKID:se%2Fcret@team/a/b?scheme=http&region=r", "s3://team/a/b?scheme=http&region=r"),
        ("s3://AKID:se/cr+et@team/a?scheme=http", "s3://team/a?scheme=http"),
        ("s3://AKID:1a/2b/cret@team/a", "s3://team/a"),
        ("S3://AKID:secret@team/a@b", "S3://team/a@b"),
        ("s3://team/a:b@c", "s3://team/a:b@c"),
        ("gs://anonymous@team/a", "gs://anonymous@team/a"),
        ("hdfs://name:8020/user@home", "hdfs://name:8020/user@home"),
        ("hdfs://name:8020/a?user=me&replication=2", "hdfs://name:8020/a?user=me&replication=2"),
        ("abfs://account:key@c.dfs.core.windows.net/a", "abfs://c.dfs.core.windows.net/a"),
        ("abfss://c@a.dfs.core.windows.net/x?client_secret=s&tenant_id=t", "abfss://c@a.dfs.core.windows.net/x?tenant_id=t"),
        ("abfss://c@a.dfs.core.windows.net/x?sv=1&sig=abc", "abfss://c@a.dfs.core.windows.net/x?sv=1"),
        ("abfss://c@a.dfs.core.windows.net/x?sas_token=abc", "abfss://c@a.dfs.core.windows.net/x"),
        ("a:b@c/d", "a:b@c/d"),
    ],
)  # fmt: skip
def test_keys_are_not_told(url, told):
    assert shown(url) == told
    assert why(OSError(f"no {url} here.\nthere"), url) == f"no {told} here"


def test_the_options_of_a_url_are_those_of_what_lies_in_it():
    assert within("s3://team/a/?region=x&scheme=http", "b/c") == "s3://team/a/b/c?region=x&scheme=http"
    assert within("s3://team/a", "b") == "s3://team/a/b"
    assert within("folder/who?/", "b") == "folder/who?/b"


def test_a_bucket_is_given_up_within_seconds():
    there, base = file_system("s3://AKID:se%2Fcret@team/a/b/?endpoint_override=127.0.0.1:1&scheme=http&region=eu-1")
    assert (base, there.region) == ("team/a/b", "eu-1")
    (options,) = there.__reduce__()[1]
    assert (options["access_key"], options["secret_key"]) == ("AKID", "se/cret")
    assert (options["endpoint_override"], options["scheme"]) == ("127.0.0.1:1", "http")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://AKID:hid/den@team/a?region=r", r"'s3://team/a\?region=r' cannot be reached .* %2F"),
        ("s3://AKID:hidden@team/a?nonsense=1", "nonsense"),
        ("nonsense://team/a", "give a folder, s3://"),
        ("s3://?region=r", "names no folder"),
        ("file:///", "names no folder"),
    ],
)
def test_what_is_no_url_is_said(url, said):
    with pytest.raises(InputError, match=said) as raised:
        file_system(url)
    assert "den" not in str(raised.value) and "AKID" not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None, "a traceback shows Arrow's words"
