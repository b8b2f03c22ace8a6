"""Two threads that each hold what the other one wants. Argument: the kind of the locks, Lock or RLock; acquire: without `with`."""

import sys
import threading

kind = getattr(threading, sys.argv[1])
savings = kind()
giro = kind()
ready = threading.Barrier(2)


def transfer(source, target):
    with source:
        ready.wait()
        with target:  # waits
            pass


def acquire(source, target):
    source.acquire()
    ready.wait()
    target.acquire()  # acquires


run = acquire if "acquire" in sys.argv else transfer
threading.Thread(target=run, args=(savings, giro), name="saver").start()
threading.Thread(target=run, args=(giro, savings), name="spender").start()
