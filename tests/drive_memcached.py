"""Two connections to memcached at a socket add one to a number at the same time; status 1: one of the additions is missing."""
import socket
import sys


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    return connection.makefile("rwb")


def ask(connection, line):
    connection.write(line + b"\r\n")
    connection.flush()


one, other = connect(), connect()
ask(one, b"set n 0 0 1\r\n0")
assert one.readline() == b"STORED\r\n"
ask(one, b"incr n 1")
ask(other, b"incr n 1")
one.readline(), other.readline()
ask(one, b"get n")
one.readline()
sys.exit(int(one.readline()) != 2)
