"""An event loop that sleeps, in a call that is cut short by whoever stops it."""

import asyncio


async def main():
    await asyncio.sleep(1000)  # sleeps


asyncio.run(main())
