"""What a page does, counted: layouts, computations of style, and messages to kernels. Seconds are the machine's."""

from __future__ import annotations

from typing import Any

COMM = b"comm_msg"


class Costs:
    """What the page did within a `with`. Made before the page is loaded, it also counts what widgets say to kernels."""

    def __init__(self, page: Any) -> None:
        self._client = page.context.new_cdp_session(page)
        self._client.send("Performance.enable")
        self._sent = self.layouts = self.styles = self.messages = 0
        page.on("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, frame: Any) -> None:
        self._sent += COMM in (frame.encode() if isinstance(frame, str) else frame)

    def _now(self) -> tuple[int, int, int]:
        found = {one["name"]: one["value"] for one in self._client.send("Performance.getMetrics")["metrics"]}
        return int(found["LayoutCount"]), int(found["RecalcStyleCount"]), self._sent

    def __enter__(self) -> Costs:
        self._before = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        found = (now - before for now, before in zip(self._now(), self._before, strict=True))
        self.layouts, self.styles, self.messages = found

    def __str__(self) -> str:
        return f"{self.layouts} layouts, {self.styles} computations of style, {self.messages} messages"
