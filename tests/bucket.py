"""A bucket: as much of S3's protocol as Arrow's client speaks when it copies, lists and deletes files."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import BinaryIO
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

KEY, SECRET, NAME = "AKIDEXAMPLE", "very/secret+word", "team"


class Bucket(ThreadingHTTPServer):
    """Its objects, and what was asked of it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.log: list[str] = []

    def url(self, path: str, name: str = NAME, key: str = KEY) -> str:
        options = f"endpoint_override=127.0.0.1:{self.server_port}&scheme=http&region=us-east-1"
        return f"s3://{key}:{quote(SECRET, safe='')}@{name}/{path}?{options}"


def unchunked(file: BinaryIO) -> bytes:
    """What comes in chunks, each after its length in hexadecimal; the last is empty, and lines of a trailer follow."""
    content = b""
    while size := int(file.readline().split(b";")[0], 16):
        content += file.read(size)
        file.readline()
    while file.readline().strip():
        pass
    return content


class Asked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a reply of two writes takes 40 ms with it
    server: Bucket

    def log_message(self, *_: object) -> None:
        pass

    def reply(self, status: int, content: bytes | str = b"", **headers: str) -> None:
        content = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def fail(self, status: int, code: str) -> None:
        self.reply(status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>")

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            content = unchunked(self.rfile)
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return unchunked(BytesIO(content)) if "aws-chunked" in self.headers.get("Content-Encoding", "") else content

    def do_GET(self) -> None:
        content = self.body()
        parts = urlsplit(self.path)
        self.server.log.append(f"{self.command} {self.path}")
        name, _, key = unquote(parts.path).lstrip("/").partition("/")
        asked = {word: values[0] for word, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
            self.fail(403, "InvalidAccessKeyId")
        elif name != NAME:
            self.fail(404, "NoSuchBucket")
        elif self.command == "PUT":
            self.put(key, asked, content)
        elif self.command == "POST":
            self.post(key, asked, content)
        elif self.command == "DELETE":
            self.server.objects.pop(key, None)
            self.reply(204)
        elif not key:
            self.list(asked)
        elif key not in self.server.objects:
            self.fail(404, "NoSuchKey")
        else:
            self.give(self.server.objects[key])

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def give(self, content: bytes) -> None:
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if span:
            first, last = int(span[1]), min(int(span[2]), len(content) - 1)
            self.reply(206, content[first : last + 1], Content_Range=f"bytes {first}-{last}/{len(content)}")
        else:
            self.reply(200, content)

    def put(self, key: str, asked: dict[str, str], content: bytes) -> None:
        source = unquote(self.headers.get("x-amz-copy-source", "")).lstrip("/").removeprefix(f"{NAME}/")
        if "uploadId" in asked:
            self.server.parts[asked["uploadId"]][int(asked["partNumber"])] = content
        else:
            self.server.objects[key] = self.server.objects[source] if source else content
        self.reply(200, "<CopyObjectResult><ETag>x</ETag></CopyObjectResult>" if source else "", ETag='"x"')

    def post(self, key: str, asked: dict[str, str], content: bytes) -> None:
        if "uploads" in asked:
            upload = str(len(self.server.parts))
            self.server.parts[upload] = {}
            self.reply(
                200, f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
            )
        elif "delete" in asked:
            for found in re.findall(rb"<Key>(.*?)</Key>", content):
                self.server.objects.pop(found.decode(), None)
            self.reply(200, "<DeleteResult/>")
        else:
            parts = self.server.parts[asked["uploadId"]]
            self.server.objects[key] = b"".join(parts[number] for number in sorted(parts))
            self.reply(200, "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")

    def list(self, asked: dict[str, str]) -> None:
        prefix, delimiter = asked.get("prefix", ""), asked.get("delimiter", "")
        told = dict[str, None]()
        for key, content in sorted(self.server.objects.items()):
            if key.startswith(prefix):
                head, cut, _ = key[len(prefix) :].partition(delimiter) if delimiter else ("", "", "")
                folder = f"<CommonPrefixes><Prefix>{escape(prefix + head + cut)}</Prefix></CommonPrefixes>"
                told[folder if cut else f"<Contents><Key>{escape(key)}</Key><Size>{len(content)}</Size></Contents>"] = (
                    None
                )
        self.reply(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(told)}</ListBucketResult>")


@contextmanager
def serving() -> Iterator[Bucket]:
    with Bucket() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
