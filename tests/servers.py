"""servers.py KIND SOCKET: a server's clients, who check each answer until they are told to end (SIGTERM).

KIND: memcached, redis, nginx. Prints how many answers were right, and what was wrong with others.
"""
import signal
import socket
import sys
import threading

CONNECTIONS = 8
PATIENCE = 30  # seconds for one answer

kind, address = sys.argv[1:]
ending = threading.Event()
right = [0] * CONNECTIONS
wrong = []


class Connection:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        self.buffer = b""

    def send(self, request):
        self.socket.sendall(request)

    def more(self):
        got = self.socket.recv(65536)
        if not got:
            raise EOFError("connection closed")
        self.buffer += got

    def line(self):
        while b"\r\n" not in self.buffer:
            self.more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def exactly(self, length):
        while len(self.buffer) < length:
            self.more()
        got, self.buffer = self.buffer[:length], self.buffer[length:]
        return got


def expect(got, expected):
    if got != expected:
        raise ValueError(f"{expected[:40]!r} expected, {got[:40]!r} came")


def memcached(connection, number, turn):
    key, value = b"key%d" % number, b"%d " % turn * (turn % 900 + 1)
    connection.send(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value))
    expect(connection.line(), b"STORED")
    connection.send(b"get %s\r\n" % key)
    expect(connection.line(), b"VALUE %s 0 %d" % (key, len(value)))
    expect(connection.exactly(len(value) + 2), value + b"\r\n")
    expect(connection.line(), b"END")


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def redis(connection, number, turn):
    value = b"%d " % turn * (turn % 900 + 1)
    connection.send(command(b"SET", b"key%d" % number, value))
    expect(connection.line(), b"+OK")
    connection.send(command(b"GET", b"key%d" % number))
    expect(connection.line(), b"$%d" % len(value))
    expect(connection.exactly(len(value) + 2), value + b"\r\n")
    connection.send(command(b"INCR", b"count%d" % number))
    expect(connection.line(), b":%d" % (turn + 1))


def nginx(connection, number, turn):
    connection.send(b"GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n")
    expect(connection.line(), b"HTTP/1.1 200 OK")
    length = 0
    while line := connection.line():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    expect(connection.exactly(length), b"0123456789abcdef" * 4096)


def run(number):
    try:
        connection = Connection()
        turn = 0
        while not ending.is_set():
            globals()[kind](connection, number, turn)
            turn += 1
            right[number] += 1
    except (OSError, EOFError, ValueError) as error:
        wrong.append(f"connection {number}: {error}")


signal.signal(signal.SIGTERM, lambda *_: ending.set())
threads = [threading.Thread(target=run, args=(number,)) for number in range(CONNECTIONS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(right), *wrong, sep="\n")
