#!/usr/bin/env python3
"""run.py FMC [NAME]...: the programs of programs.txt, as they are installed, under fmc: a table of what came of each.

For each program: is its output under so many random schedules (SEEDS) what it is natively; does a seed do the same twice; how much more
processor time a run takes than natively on one processor; what a check of CHECK seconds says, how many executions a second that is, and
what wasn't controlled. A server has its client beside it, whose output and exit status are what counts. The last line is for run-check.sh: a program whose output differs, that fmc refuses or fails in, or for which it
reports what isn't known, has failed. Programs that aren't installed are skipped.
"""
import json
import os
import pwd
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SEEDS = int(os.environ.get("SEEDS", "5"))
CHECK = float(os.environ.get("CHECK", "5"))
LIMIT = 240  # seconds of one run; what takes longer hangs
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACES = os.environ.get("PATH", "/usr/bin") + ":/usr/sbin"  # servers are there


def text_of(lines):
    """Text that compresses like text, the same on every machine."""
    words, x = [], 12345
    base = "synchronisation happens before preemption of a thread"
    for i in range(lines):
        x = x * 16807 % 2147483647
        words.append(base[x % 40 : x % 40 + x % 11 + 2] + ("\n" if i % 9 == 0 else " "))
    return "".join(words).encode()


def numbers(lines):
    out, x = [], 1
    for _ in range(lines):
        x = x * 16807 % 2147483647
        out.append("%d\n" % (x % 97))
    return "".join(out).encode()


def png(width, height):
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in (x * 5 % 256, y * 7 % 256, x * y % 256)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def bmp(width, height):
    rows = bytes((x * y) % 256 for y in range(height) for x in range(width) for _ in range(3))
    head = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + len(rows), 0, 0, 54, 40, width, height, 1, 24, 0, len(rows), 2835, 2835, 0, 0)
    return head + rows


def y4m(width, height, frames):
    out = b"YUV4MPEG2 W%d H%d F5:1 Ip A1:1 C420\n" % (width, height)
    for f in range(frames):
        out += b"FRAME\n" + bytes((x + y * 3 + f * 9) % 256 for y in range(height) for x in range(width))
        out += bytes((x * 2 + f) % 256 for x in range(width * height // 2))
    return out


def wav(samples):
    data = b"".join(struct.pack("<hh", (i * 37 % 2000) - 1000, (i * 91 % 2000) - 1000) for i in range(samples))
    return b"RIFF" + struct.pack("<I4s4sIHHIIHH4sI", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 2, 8000, 32000, 4, 16, b"data", len(data)) + data


SOURCE = b"int add(int a, int b) { return a + b; }\nint main(void) { return add(1, -1); }\n"
SCENE = b"camera { location <0,2,-3> look_at <0,1,2> } sphere { <0,1,2>, 2 pigment { rgb 1 } } light_source { <2,4,-3> rgb 1 }\n"
PYTHON = b"""import threading, queue
q = queue.Queue(2)
t = threading.Thread(target=lambda: [q.put(i) for i in range(5)])
t.start()
print([q.get() for i in range(5)])
t.join()
"""
TCL = b"puts [info exists ::tcl_platform(threaded)]\n"
SAM = b"@SQ\tSN:a\tLN:100\n" + b"".join(b"r%d\t0\ta\t%d\t60\t4M\t*\t0\t0\tACGT\tIIII\n" % (i, i * 31 % 90 + 1) for i in range(60))
NGINX = """daemon off; pid {folder}/nginx.pid; error_log stderr; worker_processes 1; {user}
events {{ }}
http {{ access_log off; server {{ listen unix:{socket}; listen 127.0.0.1:{port}; root {folder}/www; }} }}
"""
LIGHTTPD = """server.document-root = "{folder}/www"
server.port = {port}
server.bind = "127.0.0.1"
"""
HAPROXY = """global
  nbthread 2
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 10s
frontend one
  bind unix@{socket}
  http-request return status 200 content-type text/plain string "two threads"
"""
class Ranges(BaseHTTPRequestHandler):
    """A file's parts, to programs that load several of them at once."""

    text = text_of(4000)

    def do_HEAD(self):
        self.do_GET(body=False)

    def do_GET(self, body=True):
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = (int(asked[1]), int(asked[2] or len(self.text) - 1)) if asked else (0, len(self.text) - 1)
        part = self.text[first : last + 1]
        self.send_response(206 if asked else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        if asked:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, first + len(part) - 1, len(self.text)))
        self.end_headers()
        if body:
            self.wfile.write(part)

    def handle(self):
        # A client that has what it wants, or is ended by fmc, closes early.
        try:
            super().handle()
        except OSError:
            pass

    def log_message(self, *_):
        pass


PACKERS = {"gz": "gzip -n", "bz2": "bzip2", "xz": "xz -T3 --block-size=65536", "zst": "zstd -q", "lz": "plzip -B65536"}


class Files:
    """Inputs, made when a command names them."""

    def __init__(self, folder):
        self.folder = folder
        self.port = 0
        self.served = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def keep(self, name, data):
        if not os.path.exists(self.path(name)):
            with open(self.path(name), "wb") as file:
                file.write(data)
        return self.path(name)

    def text(self):
        return self.keep("text", text_of(20000))

    def lines(self):
        return self.keep("lines", numbers(150000))

    def tree(self):
        os.makedirs(self.path("folder"), exist_ok=True)
        for i in "1234":
            self.keep("folder/" + i, text_of(4000))
        return self.path("folder")

    def repository(self):
        folder = self.path("repository")
        if not os.path.exists(folder):
            shutil.copytree(self.tree(), folder)
            for command in ["git init -q", "git add ."]:
                subprocess.run(shlex.split(command), cwd=folder, check=True)
        return folder

    def packed(self, suffix):
        name = "packed." + suffix
        if suffix == "gif":
            return self.keep(name, b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;")
        if not os.path.exists(self.path(name)):
            with open(self.path(name), "wb") as to:
                subprocess.run(shlex.split(PACKERS[suffix]) + ["-c", self.text()], stdout=to, check=True)
        return self.path(name)

    def compiled(self, name, options):
        if not os.path.exists(self.path(name)):
            source = self.keep("source.c", SOURCE)
            subprocess.run([os.environ.get("CC", "cc").split()[-1], "-g", source, "-o", self.path(name)] + options, check=True)
        return self.path(name)

    def free_port(self):
        """The same each time, as commands that write it down have to be."""
        if not self.port:
            with socket.socket() as sock:
                sock.bind(("127.0.0.1", 0))
                self.port = sock.getsockname()[1]
        return str(self.port)

    def url(self):
        """Where the text is served from, by this program itself."""
        if not self.served:
            self.served = ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
            threading.Thread(target=self.served.serve_forever, daemon=True).start()
        return "http://127.0.0.1:%d/text" % self.served.server_address[1]

    def configured(self, name, text):
        os.makedirs(self.path("www"), exist_ok=True)
        for folder in [self.folder, os.path.dirname(self.folder), self.path("www")]:
            os.chmod(folder, 0o755)
        self.keep("www/page", text_of(400))
        user = "user root;" if os.getuid() == 0 else ""
        put = {"folder": self.folder, "socket": self.path("socket"), "port": self.free_port(), "user": user}
        return self.keep(name, text.format(**put).encode())

    def find(self, name):
        """What {name} stands for."""
        if name.startswith("packed."):
            return self.packed(name[7:])
        made = {
            "text": self.text,
            "lines": self.lines,
            "folder": self.tree,
            "repository": self.repository,
            "image": lambda: self.keep("image.png", png(48, 32)),
            "bmp": lambda: self.keep("image.bmp", bmp(64, 64)),
            "video": lambda: self.keep("video.y4m", y4m(32, 32, 3)),
            "raw": lambda: self.keep("video.yuv", bytes((i * 7 + i // 64 * 3) % 256 for i in range(64 * 64 * 3 // 2 * 4))),
            "sound": lambda: self.keep("sound.wav", wav(2000)),
            "source": lambda: self.keep("source.c", SOURCE),
            "scene": lambda: self.keep("scene.pov", SCENE),
            "python": lambda: self.keep("script.py", PYTHON),
            "tcl": lambda: self.keep("script.tcl", TCL),
            "sam": lambda: self.keep("reads.sam", SAM),
            "object": lambda: self.compiled("object.o", ["-c"]),
            "program": lambda: self.compiled("program", []),
            "socket": lambda: self.path("socket"),
            "url": self.url,
            "port": self.free_port,
            "tests": lambda: TESTS,
            "user": lambda: pwd.getpwuid(os.getuid()).pw_name,
            "nginx": lambda: self.configured("nginx.conf", NGINX),
            "lighttpd": lambda: self.configured("lighttpd.conf", LIGHTTPD),
            "haproxy": lambda: self.configured("haproxy.cfg", HAPROXY),
        }
        return made[name]()


class Program:
    def __init__(self, entry):
        entry, _, known = entry.partition("  # ")
        self.name, self.packages, self.input, command = entry.split(None, 3)
        server, _, self.client = command.partition(" <- ")
        self.words = shlex.split(server)
        marks = [mark.strip() for mark in known.split(",")]
        self.differs = "differs" in marks
        # How a server and its client take turns is nobody's but the kernel's.
        self.varies = "varies" in marks or bool(self.client)
        self.findings = {mark.split()[1] for mark in marks if mark.startswith("finding ")}

    def installed(self):
        clients = [shlex.split(self.client)[0]] if self.client else []
        return all(shutil.which(word, path=PLACES) for word in self.words[:1] + clients)

    def put(self, text, files, out):
        """With the names of files in it."""
        return re.sub(r"\{([a-z0-9.]+)\}", lambda match: out if match.group(1) == "out" else files.find(match.group(1)), text)

    def command(self, files, out):
        words = [self.put(word, files, out) for word in self.words]
        words[0] = shutil.which(words[0], path=PLACES)
        return words

    def driver(self, files, out):
        """What the shell is to run beside the server; nothing beside others."""
        return "{ %s; } >%s" % (self.put(self.client, files, out), shlex.quote(out)) if self.client else None


def entries(path):
    with open(path) as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def answers(files):
    """Does somebody listen at the socket or port?"""
    for family, address in (socket.AF_UNIX, files.path("socket")), (socket.AF_INET, ("127.0.0.1", files.port)):
        with socket.socket(family) as sock:
            try:
                sock.connect(address)
                return True
            except OSError:
                pass
    return False


def serve(server, client, files, folder):
    """The exit status of the server's client; then the server is told to end."""
    began = time.monotonic()
    while server.poll() is None and not answers(files) and time.monotonic() - began < LIMIT:
        time.sleep(0.02)
    status = subprocess.run(["/bin/sh", "-c", client], cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    if server.poll() is None:
        server.send_signal(signal.SIGTERM)
    return status


class Came:
    """What came of a command: its output, that in files, its status, its processor time."""

    def __init__(self, words, program, files, out, pinned=False, client=None):
        given = open(files.find(program.input), "rb") if program.input != "-" else subprocess.DEVNULL
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        one = min(os.sched_getaffinity(0))
        done = subprocess.Popen(
            ["taskset", "-c", str(one)] + words if pinned else words,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.path.dirname(out),
        )
        served = serve(done, client, files, os.path.dirname(out)) if client else None
        try:
            self.out, self.errors = done.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            done.kill()
            self.out, self.errors = done.communicate()
        if given is not subprocess.DEVNULL:
            given.close()
        # As fmc gives it.
        self.status = 128 - done.returncode if done.returncode < 0 else done.returncode
        if program.client:
            # What a server says of itself is its own business.
            self.out, self.status = b"", served if client else self.status
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.files = {}
        for name in sorted(os.listdir(os.path.dirname(out))):
            path = os.path.join(os.path.dirname(out), name)
            if os.path.isfile(path) and not name.endswith((".sched", ".json")):
                with open(path, "rb") as file:
                    self.files[name] = file.read()

    def same(self, other):
        return (self.out, self.status, self.files) == (other.out, other.status, other.files)


class Trial:
    """One program, in a folder of its own for each run."""

    def __init__(self, fmc, program, files, scratch):
        self.fmc, self.program, self.files, self.scratch = fmc, program, files, scratch

    def run(self, options, pinned=False):
        # The same path each time: programs write it into what they make.
        folder = os.path.join(self.scratch, "run")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        out = os.path.join(folder, "out")
        words = self.program.command(self.files, out)
        client = self.program.driver(self.files, out)
        fresh = "rm -f " + shlex.quote(self.files.path("socket"))
        if options:
            driven = ["--drive", client, "--before", fresh] if client else []
            words = [self.fmc] + options + driven + ["-o", os.path.join(folder, "found.sched"), "--"] + words
            return Came(words, self.program, self.files, out, pinned)
        if client:
            subprocess.run(shlex.split(fresh), check=True)
        return Came(words, self.program, self.files, out, pinned, client)

    def json(self, options):
        path = os.path.join(self.scratch, "result.json")
        came = self.run(options + ["--json", path])
        try:
            with open(path) as file:
                return came, json.load(file)
        except (OSError, ValueError):
            return came, {}

    def steady(self):
        """Natively: is the output the same twice?"""
        self.native = self.run([], pinned=True)
        return self.native.same(self.run([], pinned=True))

    def seeds(self):
        """How many of the seeds give the native output or fail as is known, whether one does the same twice, the median of processor times."""
        right, times, counts, first = 0, [], [], None
        for seed in range(1, SEEDS + 1):
            came, result = self.json(["run", "--seed", str(seed), "--time", str(LIMIT)])
            first = first or came
            good = came.status == self.native.status if self.program.differs else came.same(self.native)
            kinds = {finding["kind"] for finding in result.get("findings", [])}
            good = good or (came.status == 1 and kinds != set() and kinds <= self.program.findings)
            right += good
            if not good:
                self.say_difference(seed, came)
            times.append(came.seconds)
            counts.append(result.get("transitions"))
        again, result = self.json(["run", "--seed", "1", "--time", str(LIMIT)])
        alike = result.get("transitions") == counts[0] and (self.program.differs or again.same(first))
        return right, alike, sorted(times)[len(times) // 2], counts[0]

    def say_difference(self, seed, came):
        print("     %s, seed %d: status %s, natively %s" % (self.program.name, seed, came.status, self.native.status))
        for line in came.errors.decode(errors="replace").splitlines()[:4]:
            print("     | " + line[:160])

    def check(self):
        given = ["--stdin", self.files.find(self.program.input)] if self.program.input != "-" else []
        came, result = self.json(["check", "--time", str(CHECK), "--no-minimize"] + given)
        kinds = [finding["kind"] for finding in result.get("findings", [])]
        said = (came.out or came.errors).decode(errors="replace").splitlines()
        alone = bool(said) and "never starts a second thread" in said[0]
        verdict = ", ".join(kinds) or ("complete" if result.get("complete") else "nothing found")
        if not result or came.status not in (0, 1, 2):
            verdict = "refused: " + " ".join(said[:1])[:100]
        rate = result.get("executions", 0) / max(result.get("seconds") or 1, 0.001)
        controlled = [reason for reason in result.get("incomplete_because", []) if "isn't controlled" in reason]
        return verdict, kinds, alone, rate, controlled


def line(trial):
    """The program's row, and whether it is as it should be."""
    steady = trial.steady()
    trial.program.differs = trial.program.differs or not steady
    right, alike, seconds, transitions = trial.seeds()
    verdict, kinds, alone, rate, controlled = trial.check()
    good = right == SEEDS and (alike or trial.program.varies) and not verdict.startswith("refused") and set(kinds) <= trial.program.findings
    row = "%-12s %d/%d   %-5s %6.1f  %8s  %7.1f  %s%s" % (
        trial.program.name,
        right,
        SEEDS,
        "yes" if alike else "NO",
        seconds / max(trial.native.seconds, 0.01),
        transitions if transitions is not None else "-",
        rate,
        verdict,
        " (one thread)" if alone else "",
    )
    notes = [] if steady else ["its native output differs from run to run"]
    return row, notes + [text.split(": ", 1)[-1] for text in controlled], good


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    fmc = os.path.abspath(sys.argv[1])
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.txt")
    wanted = set(sys.argv[2:])
    passed = failed = skipped = 0
    print("%-12s %-5s %-5s %6s  %8s  %7s  %s" % ("program", "right", "same", "ratio", "transit.", "exec./s", "check"))
    with tempfile.TemporaryDirectory(prefix="fmc-programs.") as scratch:
        files = Files(os.path.join(scratch, "files"))
        os.makedirs(files.folder)
        for program in map(Program, entries(table)):
            if wanted and program.name not in wanted:
                continue
            if not program.installed():
                skipped += 1
                print("%-12s skip: not installed (%s)" % (program.name, program.packages))
                continue
            row, notes, good = line(Trial(fmc, program, files, scratch))
            print(row if good else row + "  FAIL", flush=True)
            for note in notes:
                print("             " + note[:180])
            passed += good
            failed += not good
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
