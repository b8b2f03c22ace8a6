"""Threads that count under a lock, while libraries are opened and closed. Says "right" on 'q'."""
import _ctypes
import ctypes
import sys
import threading

lock = threading.Lock()
counted = 0
done = [0, 0]
over = threading.Event()
opened = 0


def count(number):
    global counted
    while not over.is_set():
        with lock:
            counted += 1
        done[number] += 1
        over.wait(0.001)


def open_libraries():
    global opened
    while not over.is_set():
        library = ctypes.CDLL("libm.so.6")
        library.sqrt.restype = ctypes.c_double
        opened += library.sqrt(ctypes.c_double(4)) == 2
        _ctypes.dlclose(library._handle)
        over.wait(0.001)


threads = [threading.Thread(target=count, args=(number,)) for number in range(2)]
threads.append(threading.Thread(target=open_libraries))
for thread in threads:
    thread.start()
print("ready", flush=True)
while sys.stdin.read(1) not in ("q", ""):
    pass
over.set()
for thread in threads:
    thread.join()
print("right" if counted == sum(done) and opened > 0 else "wrong", counted, sum(done), opened)
