"""What a url is told as, what lies in its folder, and what no file system takes."""

from __future__ import annotations

import traceback

import pytest

import lakeview as lv
from lakeview.errors import InputError, redacted
from lakeview.store.urls import file_system, shown, why, within


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
        ("hdfs://name:8020/a?user=me&replication=2", "hdfs://name:8020/a?replication=2"),
        ("abfs://account:key@c.dfs.core.windows.net/a", "abfs://c.dfs.core.windows.net/a"),
        ("abfss://c@a.dfs.core.windows.net/x?client_secret=s&tenant_id=t", "abfss://c@a.dfs.core.windows.net/x"),
        ("abfss://c@a.dfs.core.windows.net/x?sv=1&sig=abc", "abfss://c@a.dfs.core.windows.net/x"),
        ("abfss://c@a.dfs.core.windows.net/x?sas_token=abc", "abfss://c@a.dfs.core.windows.net/x"),
        ("a:b@c/d", "a:b@c/d"),
    ],
)  # fmt: skip
def test_keys_are_not_told(url, told):
    assert shown(url) == told
    assert why(OSError(f"no {url} here.\nthere"), url) == f"no {told} here"


SECRET = "s3cr3tS3CR3T"
FORMS = [
    "s3://AKID:{}@team/x", " s3://AKID:{}@team/x", "s3:/AKID:{}@team/x", "s3:///AKID:{}@team/x", "S3A://AKID:{}@team",
    "s3://{}@team/x", "s3://AKID:1/{}@team", "s3://AKID:1?{}@team/x", "s3://AKID:1#{}@team/x", "s3://AKID:{}@@team",
    "s3://AKID:pass@{}@team/x",
    "s3://AKID:{}", "s3://AKID:{}/team/x", "s3://AKID%3A{}@team/", "hdfs://{}@name:8020/x", "hdfs://me:{}@name:8020/x",
    "s3://team/x?region=r&secret_key={}&x", "s3://team/x?X-Amz-Signature={}", "s3://team/x?X-Amz-Credential={}%2Fa",
    "https://team/x?sig={}", "https://team/x?pwd={}", "https://team/x?auth={}", "https://team/x?credential={}",
    "https://team/x?{}", "https://team/x#{}", "https://team/x;{}", "https://team/x&key={}",
    "s3://team/x?endpoint_override=http://me:{}@host", "s3://team/x?region={}/@", "jdbc:db://me:{}@host/d?password={}",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_a_url_tells_its_keys(form, tmp_path, monkeypatch):
    class Nowhere:
        @staticmethod
        def from_uri(uri):  # as Arrow does; without it, buckets are asked for over the network
            raise OSError(f"no host answers at {uri}, or at '{uri.partition('://')[2]}', as me:{SECRET}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pyarrow.fs.FileSystem", Nowhere)
    url = form.replace("{}", SECRET)
    said = f"cannot read {url!r}: ask for {url}, or ({url})."
    told = [shown(url), redacted(said), why(OSError(said), url), str(InputError(said)), repr(InputError(said))]
    raised = [error_of(lambda: file_system(url)), error_of(lambda: lv.open(url)), error_of(lambda: lv.open([url]))]
    raised += [error_of(lambda: lv.open(tmp_path, store=url)), error_of(lambda: lv.open(tmp_path).pull(url))]
    lake = lv.open(tmp_path)
    lake.index(engine="local")
    told += [text for error in (*raised, error_of(lambda: lake.publish(url))) for text in ("".join(
        traceback.format_exception(error)) if error else "", *error_texts(error))]  # fmt: skip
    for text in told:
        text = text.replace(str(tmp_path), "")
        assert SECRET not in text and "AKID" not in text
    assert not [path for path in tmp_path.rglob("*") if SECRET in path.name], "a folder is named by the url"


def error_of(call):
    try:
        call()
    except lv.LakeviewError as error:
        return error
    return None


def error_texts(error):
    return [] if error is None else [str(error), *error._render_traceback_()]


def test_a_url_that_was_taken_for_a_path_tells_no_keys():
    said = str(lv.NotFound(f"there is no folder /here/s3:/AKID:{SECRET}@team/x?y={SECRET}"))
    assert said == "there is no folder /here/s3:/team/x"


def test_the_end_of_a_clause_is_no_part_of_a_url():
    assert redacted("(s3://me:1@team/x); not s3://team/y?sig=1, or 's3://team'.") == (
        "(s3://team/x); not s3://team/y, or 's3://team'.")  # fmt: skip


def test_the_options_of_a_url_are_those_of_what_lies_in_it():
    assert within("s3://team/a/?region=x&scheme=http", "b/c") == "s3://team/a/b/c?region=x&scheme=http"
    assert within("s3://team/a", "b") == "s3://team/a/b"
    assert within("folder/who?/", "b") == "folder/who?/b"


def test_blanks_around_a_url_are_none_of_it(tmp_path):
    for url in (f" file://{tmp_path}\n", f" {tmp_path} "):
        assert file_system(url)[1] == str(tmp_path)


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
