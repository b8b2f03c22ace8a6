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
        fields = line.split(None, 5)
        path = fields[5] if len(fields) > 5 else ""
        if everything or path.startswith("/"):
            print(line)
        if "x" not in fields[1] or not path.startswith("/"):
            continue
        low, high = (int(address, 16) for address in fields[0].split("-"))
        memory.seek(low)
        print(path, hashlib.sha256(memory.read(high - low)).hexdigest())
with open(process + "/status") as status:
    for line in status:
        if re.match("Sig(Blk|Ign|Cgt)|Seccomp|NoNewPrivs", line):
            print(line.rstrip())
for thread in os.listdir(process + "/task"):
    try:
        with open(process + "/task/" + thread + "/status") as status:
            text = status.read()
    except OSError:
        continue
    if re.search(r"^TracerPid:\t[1-9]", text, re.M) or re.search(r"^State:\t[tT]", text, re.M):
        print("thread", thread, "is held")
