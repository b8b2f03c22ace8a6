"""idle.py FMC SERVER SOCKET: an idle server under fmc run, whose clocks follow real time.

Nothing here depends on how fast the machine is: what the server's clock shows is held against moments before and after it was asked.
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


def measure_beside(rounds):
    """What its clock shows to who asks while it computes, and between which moments of the real one that was."""
    busy, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    busy.connect(path)
    busy.sendall(b"busy %d" % rounds)
    answers = busy.makefile()
    assert answers.readline() == "busy\n"
    before = time.monotonic()
    client.connect(path)
    client.sendall(b"ask")
    answers.readline()
    computed = time.monotonic() - before
    shown = int(client.makefile().readline()) / 1000
    return shown, before, time.monotonic(), computed


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
shown = int(line.split()[-2]) / 1000
assert 0.7 - 0.001 <= shown <= passed + SLACK, f"{line} after {passed} s"
assert passed > 0.7 - SLACK, f"patience ends after {passed} s"
assert process.wait() == 0

# Nor does it run ahead between any two questions, though it has computed for long before it answered the first.
process, begin = start()
rounds, computed = 1 << 20, 0
while computed < 5 * SLACK:
    rounds *= 2
    first, before, after, computed = measure_beside(rounds)
time.sleep(1)
asked = time.monotonic()
second = ask(b"ask")
passed = time.monotonic() - before
assert second - first <= passed + SLACK, f"its clock goes on by {second - first} s in {passed} s"
# Nor behind.
least = asked - after
assert second - first >= least - SLACK, f"its clock goes on by {second - first} s in {least} s"
end(process, begin)
