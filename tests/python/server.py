"""Workers of a pool with nothing to do, and a main thread that waits until a signal's handler says that it is over."""

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

stop = threading.Event()
signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
everybody = threading.Barrier(9)
pool = ThreadPoolExecutor(8)
for _ in range(8):
    pool.submit(everybody.wait)
everybody.wait()
stop.wait()
pool.shutdown()
