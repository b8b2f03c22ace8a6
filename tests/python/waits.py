"""Threads that wait in every way that fmc tells of. The lines at which they do are marked with the thread's name."""

import _thread
import ctypes
import os
import queue
import sys
import threading
import time
import types

lock_a = threading.Lock()
forks = [threading.Lock() for _ in range(3)]
relocks = (threading.RLock(), threading.RLock())
abandoned = threading.Lock()
condition = threading.Condition()
slots = threading.Semaphore(0)
meeting = threading.Barrier(2)
jobs = queue.Queue()
inbox = queue.SimpleQueue()
both = threading.Barrier(2)
both_again = threading.Barrier(2)
never = threading.Event()
importing = threading.Event()
pipe = os.fdopen(os.pipe()[0], "rb")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "modules"))


class Server:
    def __init__(self):
        self.stopped = threading.Event()

    def serve(self):
        self.stopped.wait()  # event


shared = types.SimpleNamespace(ready=threading.Event())


class Worker(threading.Thread):
    def run(self):
        never.wait(1000)  # timed


def with_first():
    with lock_a:
        both.wait()
        with forks[1]:  # with_first
            pass


def with_second():
    with forks[1]:
        for _ in range(1):
            try:
                both.wait()
                with lock_a:  # with_second
                    pass
            finally:
                pass


def again_first():
    relocks[0].acquire()
    relocks[0].acquire()
    both_again.wait()
    relocks[1].acquire()  # again_first


def again_second():
    relocks[1].acquire()
    both_again.wait()
    relocks[0].acquire()  # again_second


def import_slowly():
    import slow_module  # importing


def import_again():
    import slow_module  # imports


def read_pipe():
    pipe.read(10)  # reading


def read_pipe_too():
    pipe.read(10)  # reads


def take_and_leave():
    abandoned.acquire()


def wait_for_abandoned():
    take_and_leave()
    abandoned.acquire()  # abandoned


def left_with():
    with forks[2]:
        pass
    wait_for_abandoned()


def wait_for_condition():
    with condition:
        condition.wait()  # condition


def wait_for_condition_lock():
    own = threading.Lock()
    on_own = threading.Condition(own)
    with own:
        on_own.wait()  # unlocked


def deep(n):
    if n:
        deep(n - 1)
    else:
        never.wait()  # deep


def items():
    never.wait()  # generator
    yield 1


def spin():
    n = 0
    while True:
        n += len(str(n))


def wait_for_condition_twice():
    with condition:
        condition.wait_for(never.is_set)  # wait_for


def compare(_a, _b):
    never.wait()  # callback
    return 0


def sort_by_callback():
    numbers = (ctypes.c_int * 2)(2, 1)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    ctypes.CDLL(None).qsort(numbers, 2, 4, kind(compare))


def start(name, function, *arguments):
    thread = threading.Thread(target=function, name=name, args=arguments, daemon=True)
    thread.start()
    return thread


def wait_until_it_reads(thread):
    path = "/proc/self/task/%d/syscall" % thread.native_id
    while not open(path).read().startswith("0 "):
        time.sleep(0)


def main():
    first = start("with_first", with_first)
    start("with_second", with_second)
    start("again_first", again_first)
    start("again_second", again_second)
    start("abandoned", left_with)
    start("condition", wait_for_condition)
    start("wait_for", wait_for_condition_twice)
    start("unlocked", wait_for_condition_lock)
    start("event", Server().serve)
    start("semaphore", lambda: slots.acquire())  # semaphore
    start("barrier", lambda: meeting.wait())  # barrier
    start("queue", lambda: jobs.get())  # queue
    start("simple", lambda: inbox.get())  # simple
    start("bound", inbox.get)
    start("sléep", time.sleep, 1000)
    start("deep", deep, 600)
    start("generator", lambda: list(items()))
    start("callback", sort_by_callback)
    start("importing", import_slowly)
    importing.wait()
    start("imports", import_again)
    wait_until_it_reads(start("reading", read_pipe))
    start("reads", read_pipe_too)
    start("attribute", lambda: shared.ready.wait())  # attribute
    start("join", first.join)
    Worker(name="timed", daemon=True).start()
    _thread.start_new_thread(never.wait, ())
    print("waiting", flush=True)
    if len(sys.argv) > 1:
        start("hot", spin)
        start("hotter", spin)
    first.join()  # main


main()
