"""The kernel's end of the side panel: one comm target; each request is answered by a reply of the same id.

The front end opens the comm when its subshell has started, so requests are handled in that subshell's thread, also
while a cell runs. Nothing here waits for Spark.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from importlib.metadata import version
from typing import Any

from lakeview.errors import LakeviewError
from lakeview.join import variable
from lakeview.notebook import state
from lakeview.notebook.output import shown
from lakeview.notebook.panel import answers, cost, jobs, joins, messages, places, tables

SLOW = frozenset({"joins", "read", "cost"})  # requests that may take a second or more

_registered = False


def register() -> str:
    """Make the comm target known to this kernel; returns lakeview's version. Called again, it does nothing more."""
    global _registered
    if not _registered:
        from comm import get_comm_manager

        get_comm_manager().register_target(messages.TARGET, _opened)
        _registered = True
    return version("lakeview")


def _opened(comm: Any, message: dict[str, Any]) -> None:
    # ipykernel sends a request to the shell that last sent something: always as the subshell, whichever thread it is,
    # or requests would wait for the cell that runs.
    subshell = contextvars.copy_context()

    def send(data: Any) -> None:
        subshell.copy().run(comm.send, data)

    def push() -> None:
        # A front end that is gone (a closed browser) must not stop the job that reports.
        with contextlib.suppress(Exception):
            send({"push": _status()})

    def reply(request: dict[str, Any]) -> None:
        with contextlib.suppress(Exception):
            send(answer(request))

    def received(message: dict[str, Any]) -> None:
        request = message["content"]["data"]
        if request["kind"] in SLOW:  # others are answered meanwhile
            threading.Thread(target=reply, args=(request,), name="lakeview: the panel", daemon=True).start()
        else:
            send(answer(request))

    unlisten = jobs.listen(push)
    comm.on_msg(received)
    comm.on_close(lambda message: unlisten())
    answers.look_for_java()
    push()


def answer(request: dict[str, Any]) -> messages.Reply:
    """The reply to one request; an error becomes a reply too, and never a traceback in a notebook."""
    try:
        result = _result(request)
    except LakeviewError as error:
        return _failed(request, type(error).__name__, str(error))
    except Exception as error:
        return _failed(request, type(error).__name__, f"{type(error).__name__}: {error}")
    return {"id": request.get("id", 0), "result": result, "error": None}


def _failed(request: dict[str, Any], kind: str, message: str) -> messages.Reply:
    return {"id": request.get("id", 0), "result": None, "error": {"kind": kind, "message": message}}


def _result(request: dict[str, Any]) -> Any:
    names = variable.notebook()
    match request["kind"]:
        case "frames":
            return answers.frames(names)
        case "lake":
            return answers.lake(names, refresh=bool(request.get("refresh")))
        case "shapes":
            return answers.shapes(names, request["table"])
        case "join":
            return {"code": shown.code(request["hits"], request["hit"])}
        case "preview":
            return {"table": shown.preview(request["hits"], request["hit"])}
        case "problems":
            return answers.problems(names)
        case "joins":
            return joins.joins(names, request["table"])
        case "cost":
            return cost.cost(names)
        case "read":
            return tables.read(names, request["table"])
        case "path":
            return tables.path(names, request["table"])
        case "places":
            return places.recent()
        case "folders":
            return places.folders(request["path"])
        case "cancel":
            jobs.cancel(request.get("job"))
        case "java":
            answers.look_for_java()
        case "stop":
            answers.stop_spark()
        case "status":
            pass
        case other:
            raise LakeviewError(f"this version of lakeview does not know the request {other!r}: reload the page")
    return _status()


def _status() -> messages.Status:
    return answers.status(variable.notebook(), state.has_magics())
