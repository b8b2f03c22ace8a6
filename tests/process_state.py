#!/usr/bin/python3
"""What must be the same in a process before and after fmc was there: the bytes of its code, what files are mapped, its
signals; and that nobody traces it and no thread is stopped. With a second argument: all mappings."""
import hashlib
import os
import re
import sys

process = "/proc/" + sys.argv[1]
everything = len(sys.argv) > 2
with open(process + "/maps") as maps:
    lines = maps.read().splitlines()
with open(process + "/mem", "rb", 0) as memory:
    for line in lines:
        parts = line.split(None, 5)
        path = parts[5] if len(parts) > 5 else ""
        if everything or path.startswith("/"):
            print(line)
        if "x" not in parts[1] or not path.startswith("/"):
            continue
        low, high = (int(address, 16) for address in parts[0].split("-"))
        memory.seek(low)
        print(path, hashlib.sha256(memory.read(high - low)).hexdigest())


def fields():
    with open(process + "/status") as status:
        return dict(line.rstrip().split(":", 1) for line in status if ":" in line)


# While a handler runs more signals are blocked: what is blocked each time counts.
blocked = -1
for _ in range(40):
    blocked &= int(fields()["SigBlk"], 16)
    os.sched_yield()
print("SigBlk %016x" % blocked)
for name, value in fields().items():
    if re.match("Sig(Ign|Cgt)|Seccomp|NoNewPrivs", name):
        print(name, value)
for thread in os.listdir(process + "/task"):
    try:
        with open(process + "/task/" + thread + "/status") as status:
            text = status.read()
    except OSError:
        continue
    if re.search(r"^TracerPid:\t[1-9]", text, re.M) or re.search(r"^State:\t[tT]", text, re.M):
        print("thread", thread, "is held")
