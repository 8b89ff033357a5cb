"""The server of `lacis serve`: how it ends."""

from __future__ import annotations

import asyncio
import socket

import uvicorn
from lacis import _core
from lacis.serve.app import application
from lacis.serve.events import Events
from lacis.serve.running import LOOPBACK, Server, bound

from tests.served import TOKEN, session_of


def test_a_connection_that_was_accepted_as_the_server_ends_is_closed() -> None:
    events = Events()
    session = session_of(_core.generate_fabric("fat-tree:4,2"))
    app = application(session, TOKEN, LOOPBACK, None, None, events)
    config = uvicorn.Config(
        app, log_level="critical", http="h11", ws="none", lifespan="off", timeout_graceful_shutdown=1
    )

    async def last_bytes() -> bytes:
        listening = bound("127.0.0.1", 0)
        server = Server(config, events)
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup([listening])
        with socket.create_connection(listening.getsockname()) as client:
            client.settimeout(10)
            # The loop sees the connection in the first turn, accepts it in the second and hands it over after that.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not server.server_state.connections
            await server.shutdown([listening])
            return await asyncio.to_thread(client.recv, 1)

    assert asyncio.run(last_bytes()) == b""
