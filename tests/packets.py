#!/usr/bin/env python3
"""packets.py SEED COUNT FMC FILE: COUNT requests at random to `fmc gdbserver FILE`, as GDB would send them, but cut into pieces and put
together anyhow, with interrupts whenever something may be running. Each is to be answered, once and in order, and the server to end
when it is told to. Prints what was wrong, or nothing."""
import os
import random
import re
import select
import subprocess
import sys

PATIENCE = 300  # seconds without an answer are a hang, on any machine
RESUMES = ["vCont;c", "vCont;s:p1.1;c", "vCont;s", "bc", "bs", "c", "s"]
STOP = r"[TSWX][0-9a-f]{2}.*|E.*"
HEX = r"([0-9a-f]|x)*|E.*"
# Besides a resumption: what is asked, and what an answer looks like.
REQUESTS = [
    ("?", STOP), ("g", HEX), ("p10", HEX), ("Hg0", "OK|E.*"), ("Hc-1", "OK|E.*"), ("qC", "QC.*|E.*"), ("T1", "OK|E.*"),
    ("qXfer:threads:read::0,1000", "[lm].*|E.*"), ("vCont?", "vCont.*"), ("qAttached", "1"), ("nonsense", ""),
    ("qRcmd," + b"position".hex(), "([0-9a-f]*|OK|E.*)"), ("qRcmd," + b"goto 2".hex(), "([0-9a-f]*|OK|E.*)"),
]


def framed(payload):
    return b"$%s#%02x" % (payload.encode(), sum(payload.encode()) & 255)


class Client:
    def __init__(self, seed, fmc, file):
        self.random = random.Random(seed)
        self.server = subprocess.Popen([fmc, "gdbserver", file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
        self.received = b""

    def send(self, data):
        """In pieces: the server may see any beginning of a packet for a while, or several at once."""
        while data:
            size = self.random.choice([1, 1, 2, 3, 7, 50, len(data)])
            os.write(self.server.stdin.fileno(), data[:size])
            data = data[size:]

    def more(self, patience):
        if not select.select([self.server.stdout], [], [], patience)[0]:
            return False
        part = os.read(self.server.stdout.fileno(), 65536)
        if not part:
            sys.exit("the server has gone")
        self.received += part
        return True

    def take(self):
        """The next answer that has come whole; None: none has. Output of the program's is no answer."""
        while True:
            self.received = self.received.lstrip(b"+")
            found = re.match(rb"\$([^#]*)#([0-9a-f]{2})", self.received)
            if not found:
                return None
            payload, total = found.group(1), int(found.group(2), 16)
            if sum(payload) & 255 != total:
                sys.exit("a checksum is wrong: %r" % found.group(0))
            self.received = self.received[found.end():]
            if not re.fullmatch(rb"O([0-9a-f]{2})+", payload):
                return payload.decode(errors="replace")

    def answer(self, asked):
        """While something runs it is interrupted sooner or later, once or several times."""
        while (payload := self.take()) is None:
            if asked in RESUMES and self.random.random() < 0.5:
                if not self.more(self.random.random() / 50):
                    self.send(b"\x03" * self.random.choice([1, 1, 2]))
            elif not self.more(PATIENCE):
                sys.exit("no answer to %s" % asked)
        return payload

    def one(self):
        if self.random.random() < 0.5:
            asked = self.random.choice(RESUMES)
            return asked, STOP
        return self.random.choice(REQUESTS)

    def run(self, count):
        self.send(framed("QStartNoAckMode"))
        self.answer("QStartNoAckMode")
        self.send(b"+")
        while count > 0:
            batch = [self.one() for _ in range(self.random.choice([1, 1, 1, 2, 5]))]
            data = b""
            for asked, _ in batch:
                data += framed(asked)
                if asked in RESUMES and self.random.random() < 0.3:
                    data += b"\x03"
            self.send(data)
            for asked, like in batch:
                answer = self.answer(asked)
                if not re.fullmatch(like, answer, re.S):
                    sys.exit("%s was answered with %s" % (asked, answer))
            count -= len(batch)
        self.send(framed("D;1"))
        if self.answer("D;1") != "OK":
            sys.exit("it doesn't let go")
        self.server.stdin.close()
        if self.server.wait(PATIENCE) != 0:
            sys.exit("the server ends with %d" % self.server.returncode)


client = Client(int(sys.argv[1]), sys.argv[3], sys.argv[4])
try:
    client.run(int(sys.argv[2]))
finally:
    if client.server.poll() is None:
        client.server.kill()
