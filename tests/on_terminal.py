#!/usr/bin/python3
"""on_terminal.py COLUMNS ANSWER COMMAND...: run a command on a terminal of that width, type ANSWER and a line feed where it asks
(a line that ends in "] "), print all that it wrote there. The exit status is the command's."""
import fcntl
import os
import pty
import struct
import sys
import termios

columns, answer, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    for descriptor in 0, 1, 2:
        os.dup2(slave, descriptor)
    os.execvp(command[0], command)
os.close(slave)
written = b""
while True:
    try:
        more = os.read(master, 4096)
    except OSError:  # the last one has closed it
        break
    if not more:
        break
    written += more
    if written.endswith(b"] "):
        os.write(master, answer.encode() + b"\n")
sys.stdout.buffer.write(written)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
