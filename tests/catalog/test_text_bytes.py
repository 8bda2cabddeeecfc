from __future__ import annotations

import codecs
import gzip
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeview.catalog.model import ReadError
from lakeview.catalog.reading import text_bytes
from lakeview.catalog.reading.text_bytes import inspect, open_utf8

TEXT = "id;name\n1;Malmö\n2;Łódź €5\n3;東京\n"


def decoded(path) -> str:
    with open_utf8(str(path), inspect(str(path))) as stream:
        return stream.read().decode("utf-8")


@pytest.mark.parametrize(
    ("prefix", "codec", "encoding"),
    [
        (b"", "utf-8", "utf-8"),
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
        (b"", "utf-16-le", "utf-16-le"),
        (b"", "utf-16-be", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_unicode(tmp_path, prefix, codec, encoding, zipped):
    data = prefix + TEXT.encode(codec)
    path = tmp_path / "x.csv"
    path.write_bytes(gzip.compress(data) if zipped else data)
    found = inspect(str(path))
    assert (found.encoding, found.compression) == (encoding, "gzip" if zipped else None)
    assert found.invalid_at is None
    assert found.size == len(data)
    assert decoded(path) == TEXT
    # The name of the encoding is one that Python understands just so.
    assert data.decode(encoding) == TEXT


@pytest.mark.parametrize(("extra", "encoding"), [(b"", "cp1252"), (b"\x81", "latin-1")])
def test_what_is_not_utf8_is_read_as_western(tmp_path, extra, encoding):
    path = tmp_path / "x.csv"
    data = "name\nMalmö\n".encode("cp1252") + extra
    path.write_bytes(data)
    found = inspect(str(path))
    assert (found.encoding, found.invalid_at) == (encoding, 9)
    assert decoded(path) == data.decode(encoding)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([b"a", b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xe9", b"\xc3", b"\n"])))
def test_the_first_invalid_byte_wherever_chunks_end(tmp_path, pieces):
    data = b"x," + b"".join(pieces)
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    try:
        data.decode("utf-8")
        expected = None
    except UnicodeDecodeError as error:
        expected = error.start
    with patch.object(text_bytes, "CHUNK", 3):
        found = inspect(str(path))
        assert found.invalid_at == expected
        assert decoded(path) == (data.decode("cp1252") if found.encoding == "cp1252" else by_the_byte(data))


def by_the_byte(data: bytes) -> str:
    """UTF-8, and each byte that is none as cp1252."""
    escaped = data.decode("utf-8", "surrogateescape")
    return "".join(bytes([ord(c) - 0xDC00]).decode("cp1252") if 0xDC80 <= ord(c) <= 0xDCFF else c for c in escaped)


class TestStrayBytes:
    GOOD = "".join(f"Zürich {number},{number}\n" for number in range(300)).encode()

    @pytest.mark.parametrize(
        ("data", "stray"),
        [
            (b"town,n\n" + GOOD + b"A \x96 B,1\n", 1),
            (b"town,n\nA \x96 B,1\n" + GOOD, 1),
            (GOOD + b"caf\xe9", 1),  # at the very end
            (GOOD + "Köln \x96 Süd,2\n".encode().replace(b"\xc2\x96", b"\x96"), 1),  # both in one row
            ("Zürich\nKöln\n".encode() + "Malmö\nAngoulême\n".encode("cp1252"), 2),
            (codecs.BOM_UTF8 + b"a\nMalm\xf6\nNa\xefve\n", 2),  # the mark says UTF-8
            (gzip.compress(GOOD + b"na\xefve,3\n", mtime=0), 1),
            (GOOD + b"\x81,1\n", 1),  # not in cp1252 either
        ],
    )
    @pytest.mark.parametrize("chunk", [3, 1 << 20])
    def test_each_by_itself(self, tmp_path, data, stray, chunk):
        path = tmp_path / "x.csv"
        path.write_bytes(data)
        with patch.object(text_bytes, "CHUNK", chunk):
            found = inspect(str(path))
            plain = gzip.decompress(data) if found.compression else data.removeprefix(codecs.BOM_UTF8)
            assert (found.encoding in ("utf-8", "utf-8-sig"), found.stray) == (True, stray)
            if b"\x81" not in data:
                assert decoded(path) == by_the_byte(plain)

    def test_told(self, lake):
        lake.write("x.csv", b"town,n\n" + self.GOOD + b"A \x96 B,1\n")
        assert ("A – B", "1") in lake.rows("x.csv")
        [problem] = lake.problems()
        assert (problem.problem, problem.count) == ("stray bytes", 1)

    @pytest.mark.parametrize("codec", ["cp1252", "cp1251", "gbk", "euc_kr", "shift_jis"])
    def test_no_text_of_another_encoding(self, tmp_path, codec):
        text = {
            "cp1251": "Город,Ёлка её моё\n", "gbk": "城市,上海北京广州中国人民\n",
            "euc_kr": "서울,부산 대한민국\n", "shift_jis": "東京,大阪の日本語\n",
        }.get(codec, "Malmö,Añb – ça\n")  # fmt: skip
        path = tmp_path / "x.csv"
        path.write_bytes(text.encode(codec) * 50)
        assert inspect(str(path)).stray == 0


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("marks", [1, 2, 3])
@pytest.mark.parametrize("header", ["id,name", '"id",name'])
def test_byte_order_marks_are_no_text(lake, codec, marks, header):
    lake.write("x.csv", ("\ufeff" * marks + f"{header}\n1,ann\n2,bo\n").encode(codec))
    assert lake.columns("x.csv") == ["id", "name"]
    assert lake.rows("x.csv") == [("1", "ann"), ("2", "bo")]


def test_nul_bytes_are_counted_and_left_out(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n1,x\0y\n2,\0\n")
    assert inspect(str(path)).nul_bytes == 2
    assert decoded(path) == "a,b\n1,xy\n2,\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-12], "damaged gzip"),
        (gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:20] + b"\xff" * 20, "damaged gzip"),
        (codecs.BOM_UTF16_LE + "a,b\n".encode("utf-16-le") + b"x", "damaged UTF-16"),
        (codecs.BOM_UTF16_LE + b"\x00\xdc\x41\x00", "damaged UTF-16"),
        (b"PK\x03\x04abc", "Excel"),
        (b"PAR1abc", "Parquet"),
        (b"\x00\x01\x02" * 50, "not text"),
    ],
)
def test_damage_is_named(tmp_path, data, message):
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    with pytest.raises(ReadError, match=message):
        inspect(str(path))


def test_a_file_that_is_gone(tmp_path):
    with pytest.raises(ReadError, match="cannot be opened: No such file"):
        inspect(str(tmp_path / "x.csv"))


def test_two_gzip_members_are_one_file(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n"))
    assert decoded(path) == "a,b\n1,2\n"
