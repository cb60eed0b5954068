"""A relay between processes of one machine that lets every byte wait: a network of some latency, without one.

    python _delay.py SECONDS PORT:TARGET...

Whoever connects to a PORT of 127.0.0.1 talks to TARGET there; what is sent arrives so many seconds later, either way,
in order and at full speed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys


async def later(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Pass on what is read, each piece after the delay, until the end."""
    loop, pieces = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]]()

    async def read() -> None:
        piece = b"-"
        while piece:
            with contextlib.suppress(ConnectionError):
                piece = await reader.read(2**20)
                await pieces.put((loop.time() + seconds, piece))
                continue
            await pieces.put((0.0, b""))
            return

    reading = asyncio.create_task(read())
    with contextlib.suppress(ConnectionError):
        while (due := await pieces.get())[1]:
            await asyncio.sleep(max(due[0] - loop.time(), 0.0))
            writer.write(due[1])
            await writer.drain()
    reading.cancel()
    writer.close()


async def relay(port: int, target: int, seconds: float) -> None:
    """Serve one port, for ever."""

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(later(reader, there[1], seconds), later(there[0], writer, seconds))

    async with await asyncio.start_server(met, "127.0.0.1", port) as server:
        await server.serve_forever()


async def main() -> None:
    seconds = float(sys.argv[1])
    pairs = [pair.split(":") for pair in sys.argv[2:]]
    await asyncio.gather(*(relay(int(port), int(target), seconds) for port, target in pairs))


if __name__ == "__main__":
    asyncio.run(main())
