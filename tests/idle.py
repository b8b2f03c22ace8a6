"""idle.py FMC SERVER SOCKET: an idle server under fmc run, whose clocks follow real time.

Nothing here depends on how fast the machine is: the server's clock may lag behind the real one, and never runs ahead of it.
"""
import socket
import subprocess
import sys
import time

fmc, server, path = sys.argv[1:]
# What readings of clocks add, and how coarse the two ways to tell the time are.
SLACK = 0.1


def ask(request):
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    client.sendall(request)
    return int(client.makefile().readline()) / 1000


def start(*arguments):
    begin = time.monotonic()
    process = subprocess.Popen([fmc, "run", "--", server, path, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process, begin


def end(process, begin):
    shown = ask(b"end")
    passed = time.monotonic() - begin
    assert shown <= passed + SLACK, f"its clock shows {shown} s after {passed} s"
    assert process.wait() == 0, f"status {process.returncode}"


# Who sleeps for a second beside a server that waits does so.
process, begin = start("ticks")
for number in range(1, 4):
    assert process.stdout.readline() == f"tick {number}\n"
    passed = time.monotonic() - begin
    assert passed > number - SLACK, f"tick {number} after {passed} s"
process.kill()
process.wait()

# Longer than an explored execution waits: a server that nobody asks anything is no error.
process, begin = start()
time.sleep(5)
assert process.poll() is None, f"it ended with status {process.returncode}"
end(process, begin)

# A time-out of its own ends after its time, on both clocks.
process, begin = start("patience", "700")
line = process.stdout.readline()
passed = time.monotonic() - begin
assert line in ("nobody came within 700 ms\n", "nobody came within 701 ms\n"), line
assert passed > 0.7 - SLACK, f"patience ends after {passed} s"
assert process.wait() == 0
