"""The HTTP side: one page, what it asks for, and events; with a token in the address, for this machine alone.

Every path begins with the token. A request whose Host or Origin is another's is refused, so that a page from elsewhere
cannot ask through the reader's browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from ..errors import LacisError
from . import answers
from .events import Events
from .shown import Shown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .session import Session

ASSETS = Path(__file__).with_name("assets")
FOLDERS = ASSETS, Path(__file__).parent.with_name("map") / "assets"
"""The page's own files, and those that draw the map."""
LONGEST = 4096
"""Characters of a path with its query."""
HANGS = 10.0
"""Seconds after which a source that has not answered is said to hang."""
LOOKS = 5.0
"""Seconds between looks whether the fabric has changed."""
_POLICY = (
    "default-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"
)


class Guard:
    """Refuses what is not for this page: other hosts, other origins, a wrong token, long addresses, methods that change.

    Args:
        app: what answers the rest.
        token: with which every path begins.
        hosts: names under which this server may be asked, without ports.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Sequence[str]) -> None:
        self._app, self._token, self._hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            status, words = refusal
            await PlainTextResponse(f"{words}\n", status)(scope, receive, send)
            return

        async def safe(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    (b"content-security-policy", _POLICY.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cache-control", b"no-store"),
                ]
            await send(message)

        await self._app(scope, receive, safe)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if _name(host) not in self._hosts:
            return 400, "this server is not called that"
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "a page from elsewhere may not ask"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this server only shows"
        if len(scope["path"]) + len(scope.get("query_string", b"")) > LONGEST:
            return 414, "the address is too long"
        given = scope["path"].split("/")[1]
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return 403, "the address needs the token that `lacis serve` printed"
        return None


def _name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host


class Advancing:
    """Looks for more readings again and again, in a thread of its own, and says so when the source hangs."""

    def __init__(self, shown: Shown, events: Events, every: float) -> None:
        self._shown, self._events, self._every = shown, events, every

    @property
    def _session(self) -> Session:
        return self._shown.session

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            begun = time.monotonic()
            was = self._session.trouble
            task = asyncio.ensure_future(
                anyio.to_thread.run_sync(self._session.advance, abandon_on_cancel=True)
            )
            is_new = await self._answer(task, begun)
            if is_new:
                ends = self._session.instants()
                self._events.send("instant", ends[-1] / 1e9 if ends else None)
            if self._session.trouble != was:
                self._events.send("trouble", self._session.trouble)
            await asyncio.sleep(max(0.05, self._every - (time.monotonic() - begun)))

    async def _answer(self, task: asyncio.Future[bool], begun: float) -> bool:
        while True:
            done, _ = await asyncio.wait({task}, timeout=HANGS)
            if done:
                return task.result()
            passed = round(time.monotonic() - begun)
            self._session.trouble = f"the source has not answered for {passed} s"
            self._events.send("trouble", self._session.trouble)


async def follow(shown: Shown, events: Events) -> None:
    """Says when the fabric has changed, until it is cancelled."""
    while True:
        await asyncio.sleep(LOOKS)
        was = shown.trouble
        if await anyio.to_thread.run_sync(shown.look, abandon_on_cancel=True):
            events.send("changed", shown.number)
        if shown.trouble != was:
            events.send("trouble", shown.trouble or shown.session.trouble)


def application(
    session: Session,
    token: str,
    hosts: Sequence[str],
    every: float | None = None,
    newer: Callable[[], Session | None] | None = None,
    events: Events | None = None,
) -> ASGIApp:
    """The application.

    Args:
        session: what is shown.
        token: with which every path begins.
        hosts: names under which it may be asked.
        every: seconds between looks for more readings; none where nothing comes.
        newer: what is shown since the fabric has changed, none as long as it has not; without it no changes are looked for.
        events: what readers get; that of the caller, who closes it when the server ends.
    """
    events = Events() if events is None else events
    shown = Shown(session, newer)

    def page(_: Request) -> Response:
        return FileResponse(ASSETS / "index.html")

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        is_name = "/" not in name and not name.startswith(".")
        files = [folder / name for folder in FOLDERS if is_name and (folder / name).is_file()]
        return FileResponse(files[0]) if files else PlainTextResponse("not here\n", 404)

    def asked(answer: Callable[[Request], object]) -> Callable[[Request], Response]:
        """A route that answers with JSON; Starlette runs it in a thread."""

        def respond(request: Request) -> Response:
            if request.query_params.get("of", str(shown.number)) != str(shown.number):
                return JSONResponse({"error": "the fabric has changed since this page was loaded"}, 409)
            try:
                content = answer(request)
            except LacisError as error:
                return JSONResponse({"error": str(error)}, 400)
            if isinstance(content, bytes):
                return Response(content, media_type="application/octet-stream")
            return JSONResponse(content)

        return respond

    kept: dict[int, object] = {}

    def fabric(_: Request) -> object:
        if shown.number not in kept:
            kept.clear()
            kept[shown.number] = {**answers.fabric(shown.session), "number": shown.number}
        return kept[shown.number]

    def instants(_: Request) -> object:
        found = answers.instants(shown.session)
        return {**found, "trouble": shown.trouble or found["trouble"]}

    routes = [
        Route("/", page),
        Route("/fabric.json", asked(fabric)),
        Route("/instants.json", asked(instants)),
        Route("/findings.json", asked(lambda _: answers.findings(shown.session))),
        Route("/moment", asked(lambda request: answers.moment(shown.session.moment(*_window(request))))),
        Route(
            "/port.json",
            asked(lambda request: answers.port(shown.session, *_port(request), _window(request)[0])),
        ),
        Route(
            "/pairs.json",
            asked(
                lambda request: answers.pairs(
                    shown.session,
                    *_port(request),
                    _window(request)[0],
                    request.query_params.get("text", "")[:200],
                )
            ),
        ),
        Route("/route.json", asked(lambda request: answers.route(shown.session, *_ends(request)))),
        Route(
            "/whatif.json",
            asked(
                lambda request: answers.what_if(
                    shown.session, *_change(request), adaptive=request.query_params.get("adaptive") == "1"
                )
            ),
        ),
        Route("/{name}", asset),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(events.beat())]
        if every is not None:
            tasks.append(asyncio.create_task(Advancing(shown, events, every).run()))
        if newer is not None:
            tasks.append(asyncio.create_task(follow(shown, events)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    answering = Starlette(
        routes=[Mount(f"/{token}", routes=routes)],
        lifespan=lifespan,
        middleware=[Middleware(GZipMiddleware, minimum_size=1024)],
    )

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        # Events pass by what is made for answers, layer by layer, for each of many readers.
        is_stream = scope["type"] == "http" and scope["path"] == f"/{token}/events"
        await (events if is_stream else answering)(scope, receive, send)

    return Guard(either, token, hosts)


def _window(request: Request) -> tuple[int | None, int | None]:
    """The instants `at` and `minus` of a query, nanoseconds since 1970."""
    return _instant(request, "at"), _instant(request, "minus")


def _instant(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        raise LacisError(f"{name} is no time", text=text[:40]) from None
    if not 0 <= seconds < 1e10:
        raise LacisError(f"{name} is no time", text=text[:40])
    # Half of a microsecond more: a number of seconds in JSON has as much.
    return round(seconds * 1e9) + 500


def _port(request: Request) -> tuple[int, int]:
    guid, number = (request.query_params.get(name, "") for name in ("guid", "port"))
    try:
        found = int(guid, 16), int(number)
    except ValueError:
        raise LacisError("no port", text=f"{guid}[{number}]"[:60]) from None
    if not (0 <= found[0] < 1 << 64 and 0 <= found[1] < 1 << 16):
        raise LacisError("no port", text=f"{guid}[{number}]"[:60])
    return found


def _ends(request: Request) -> tuple[str, str]:
    return request.query_params.get("from", ""), request.query_params.get("to", "")


def _change(request: Request) -> tuple[list[str], str]:
    return request.query_params.getlist("cut"), request.query_params.get("engine", "")[:200]
