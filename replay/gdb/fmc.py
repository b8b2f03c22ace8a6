"""Commands of fmc in GDB: walk a schedule that fmc has found, forwards and backwards.

    (gdb) source /usr/local/share/fmc/fmc.py
    (gdb) fmc-replay program.sched

See fmc-gdb(7). GDB 10 or later, with Python.
"""

import os
import pwd
import re
import shlex
import shutil
import sys
import tempfile

import gdb

if int(re.match(r"\D*(\d+)", gdb.VERSION).group(1)) < 10:
    raise gdb.GdbError("fmc's commands need GDB 10 or later; this is " + gdb.VERSION)

# GDB gives up on an answer after so many seconds. A schedule is played before the first one; and on a busy machine any may be
# late: GDB would take it for that to its next question, and show wrong values from then on.
ANSWER_SECONDS = 3600
# GDB shows no more completions than this, by default.
COMPLETIONS = 200
HARDWARE_SIZES = (1, 2, 4, 8)


def ask(command):
    """What fmc answers to `monitor COMMAND`."""
    try:
        return gdb.execute("monitor " + command, to_string=True)
    except gdb.error as error:
        if "Rcmd" in str(error):
            raise gdb.GdbError("the program has been killed or let go; 'run' begins again")
        raise gdb.GdbError("no schedule is being replayed; see 'help fmc-replay'")


class Place:
    """Where the schedule is: part 0 is the beginning, part n transition n, after the last one is the end."""

    def __init__(self):
        answer = re.match(r"(\d+) (\d+) (\d+)((?: T[\d.]+(?:=\d+\.\d+)?)*)$", ask("where"))
        if not answer:
            raise gdb.GdbError("no schedule is being replayed; see 'help fmc-replay'")
        self.part, self.length, self.count = map(int, answer.groups()[:3])
        # By their names in the schedule; of those that are alive GDB's numbers of process and thread.
        self.threads = {}
        for word in answer.group(4).split():
            name, _, numbers = word.partition("=")
            self.threads[name] = tuple(map(int, numbers.split("."))) if numbers else None


def settle(command="", to_string=False):
    """Let GDB find out where the program is, in the way it does after any stop, after a movement of fmc's.

    While a command is run so, Ctrl-C ends it."""
    ask("resync " + command)
    return gdb.execute("reverse-continue", to_string=to_string)


def move(command):
    """Go somewhere by a command of fmc's, then show where that is."""
    require_all_stop()
    settle(command)


def require_all_stop():
    if gdb.parameter("non-stop"):
        raise gdb.GdbError("a schedule has one thread running at a time: 'set non-stop off' first")


def read_number(text, what, highest):
    """A decimal number from 0 on."""
    if not re.fullmatch(r"\d+", text) or int(text) > highest:
        raise gdb.GdbError("%s is needed, not '%s'" % (what, text))
    return int(text)


def read_count(argument):
    return read_number(argument.strip() or "1", "a number of transitions", 2**32 - 1)


def read_thread(argument, place):
    """T3, or of several processes T2.1: a thread of the schedule."""
    names = list(place.threads)
    answer = re.fullmatch(r"T?([1-9]\d*(?:\.[1-9]\d*)?)", argument.strip())
    if not answer:
        raise gdb.GdbError("a thread is needed: %s to %s" % (names[0], names[-1]))
    name = "T" + answer.group(1)
    if name not in place.threads:
        raise gdb.GdbError("%s doesn't exist here; there are %s to %s" % (name, names[0], names[-1]))
    return name


def find_thread(numbers):
    """GDB's thread with these numbers of process and thread; None: it knows none."""
    for inferior in gdb.inferiors():
        for thread in inferior.threads():
            if thread.ptid[:2] == numbers:
                return thread
    return None


def read_file(argument):
    """A file name as GDB's own commands take it: spaces in it by quotes or backslashes."""
    try:
        names = gdb.string_to_argv(argument)
    except gdb.error as error:
        raise gdb.GdbError(str(error))
    if len(names) != 1 or not names[0] or "\n" in names[0]:
        raise gdb.GdbError("a file name is needed")
    return os.path.abspath(os.path.expanduser(names[0]))


def matching(words, word):
    return [w for w in words if w.startswith(word)][:COMPLETIONS]


def complete_threads(word):
    try:
        return matching(list(Place().threads), word)
    except gdb.GdbError:
        return []


class Met:
    """The inferiors that GDB has made for further processes, by their numbers in GDB, and the one that was there before."""

    first, numbers = None, set()

    @classmethod
    def forget(cls):
        present = {inferior.num for inferior in gdb.inferiors() if not inferior.pid}
        if cls.numbers and cls.first in present and gdb.selected_inferior().num != cls.first:
            gdb.execute("inferior %d" % cls.first, to_string=True)
        for number in cls.numbers & present - {gdb.selected_inferior().num}:
            gdb.execute("remove-inferiors %d" % number, to_string=True)
        cls.first, cls.numbers = None, set()


def begin_several():
    """Several processes: all run, whichever is looked at; a step backwards is that of the thread that is looked at. GDB 13 forgets what it has
    read only of the process that is looked at."""
    for setting in ("schedule-multiple on", "scheduler-locking step", "stack-cache off", "code-cache off"):
        gdb.execute("set " + setting)
    Met.first = gdb.selected_inferior().num
    meet_inferiors()


def meet_inferiors():
    """GDB is shown each process where it is first, so that it has its symbols and can set breakpoints in it everywhere.

    It knows them from then on: where one isn't there, one thread of it is listed, without registers. A process that has become another
    program is another one to GDB."""
    before = gdb.selected_thread()
    known = {inferior.pid for inferior in gdb.inferiors()}
    for number, part in re.findall(r"(\d+)@(\d+)", ask("inferiors")):
        if int(number) in known:
            continue
        ask("goto " + part)
        gdb.execute("info threads", to_string=True)
        for inferior in gdb.inferiors():
            if inferior.pid not in known:
                known.add(inferior.pid)
                Met.numbers.add(inferior.num)
                set_up(inferior)
    # Until the first process has been resumed GDB waits for its stops in another way, and would for ever if another one were.
    before.switch()


def set_up(inferior):
    """GDB has read the program's symbols. Unless it reads them again it doesn't find out where the program and its libraries lie, as it does after
    an attach, but believes that they are where those of the first process are."""
    inferior.threads()[0].switch()
    program = gdb.current_progspace().filename
    if program:
        gdb.execute("with confirm off -- file " + quote(program), to_string=True)


def quote(name):
    """A word for GDB's own commands."""
    return re.sub(r"([\s\\'\"])", r"\\\1", name)


def find_fmc():
    """The program beside this script, where it is installed or built; $FMC goes first, the PATH last."""
    here = os.path.dirname(os.path.realpath(SCRIPT))
    beside = [os.path.join(here, *way) for way in (("..", "..", "bin", "fmc"), ("..", "build", "fmc"))]
    for path in [os.environ.get("FMC")] + beside + [shutil.which("fmc")]:
        if path and os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise gdb.GdbError("there is no fmc: set FMC in GDB's environment to its path")


def read_header(path):
    """What a schedule says of what is run: its lines' values by their first words, in order. See fmc-sched(5)."""
    header = {}
    with open(path, errors="surrogateescape") as schedule:
        for line in schedule:
            if not line.strip():
                break
            word = re.match(r"(\S+)\s+(.*)", line)
            if word:
                header.setdefault(word.group(1), []).append(unquote(word.group(2)))
    return header


def unquote(word):
    """A value in a schedule's header: see fmc-sched(5)."""
    if not word.startswith('"'):
        return word
    plain = {"n": "\n", "t": "\t", "r": "\r"}

    def letter(escape):
        if escape.group(1)[0] == "x":
            return os.fsdecode(bytes([int(escape.group(1)[1:], 16)]))
        return plain.get(escape.group(1), escape.group(1))

    return re.sub(r"\\(x[0-9a-f]{2}|.)", letter, word[1:-1])


def leave():
    """Let go of what is being debugged, if that is a schedule."""
    Kept.connected = False
    if gdb.selected_inferior().pid:
        try:
            Place()
        except gdb.GdbError:
            raise gdb.GdbError("a program is being debugged; 'kill' or 'detach' it first")
        gdb.execute("detach", to_string=True)
    try:
        gdb.execute("disconnect", to_string=True)
    except gdb.error:
        pass  # There was no connection.
    Met.forget()


def shown(text):
    """Text from a file as a terminal may have it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def say_what(path, header):
    """What is about to be run, in the words of `fmc replay`: the program, and what else is loaded with it."""
    words = [header["program"][0]] + header.get("arg", [])[1:]
    line = "fmc: %s: running %s" % (path, " ".join(words))
    for variable in header.get("env", []):
        if variable.startswith(("LD_", "GCONV_PATH=")):
            line += ", with " + variable
    for plugin in header.get("ops", []):
        if " " in plugin:
            line += ", with the plug-in " + plugin.split(" ", 1)[1]
    gdb.write(shown(line) + "\n")


def owner_of(path):
    """Whose the file is, if that one could do this user no harm without it; None: one's own, or root's."""
    owner = os.stat(path).st_uid
    if owner in (0, os.geteuid()):
        return None
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return "user %d" % owner


def trust(path, header):
    """A schedule says what is to be run, and whoever made it may mean harm: say it, and ask where there is a terminal."""
    if "program" not in header:
        return
    owner = owner_of(path)
    say_what(path, header)
    if owner is None or not (sys.__stdin__ and sys.__stdin__.isatty() and os.isatty(2)):
        return
    gdb.write("fmc: %s belongs to %s. Run that program? [y/N] " % (shown(path), owner))
    gdb.flush()
    try:
        answer = sys.__stdin__.readline()
    except KeyboardInterrupt:
        answer = ""
    if not answer.lower().startswith("y"):
        raise gdb.GdbError("not run")


def load_program(header):
    program = header.get("program", [None])[0]
    if program and os.path.exists(program) and "\n" not in program:
        known = gdb.current_progspace().filename
        if not known or not os.path.samefile(known, program):
            gdb.execute("file " + quote(program), to_string=True)


class Kept:
    """The threads that have breakpoints of their own. GDB deletes these when it isn't told of their thread any more; so the
    server lists such a thread also where it isn't there."""

    connected = False
    numbers = set()  # GDB's

    @classmethod
    def update(cls, deleted=None):
        if not cls.connected:
            return
        numbers = {point.thread for point in gdb.breakpoints() if point.thread and point.number != deleted}
        # Each time that one is hit, it is modified: nothing is asked then, in the middle of a stop.
        if numbers == cls.numbers:
            return
        cls.numbers = numbers
        kept = [thread.ptid for inferior in gdb.inferiors() for thread in inferior.threads()
                if thread.global_num in numbers]
        try:
            ask("keep " + " ".join("%d.%d" % ptid[:2] for ptid in kept))
        except gdb.GdbError:
            cls.connected = False

    @classmethod
    def begin(cls):
        cls.connected = True
        cls.numbers = set()


gdb.events.breakpoint_created.connect(lambda point: Kept.update())
gdb.events.breakpoint_modified.connect(lambda point: Kept.update())
gdb.events.breakpoint_deleted.connect(lambda point: Kept.update(point.number))


def connect(path, loose):
    """Start `fmc gdbserver` and let GDB speak to it."""
    command = [find_fmc(), "gdbserver"] + (["--loose"] if loose else []) + [path]
    # GDB 13 crashes when it is set again after a program that has been killed.
    if gdb.parameter("sysroot") != "/":
        gdb.execute("set sysroot /")
    gdb.execute("set remotetimeout %d" % ANSWER_SECONDS)
    with tempfile.NamedTemporaryFile(mode="r", errors="replace") as words:
        line = " ".join(map(shlex.quote, command)) + " 2>" + shlex.quote(words.name)
        try:
            gdb.execute("target extended-remote | exec " + line, to_string=True)
        except gdb.error as error:
            raise gdb.GdbError(words.read().strip() or "%s: %s" % (path, error))
        gdb.write(words.read())
    Kept.begin()


class Overview(gdb.Command):
    """Walk a schedule of fmc's.

fmc-replay FILE         begin: go to where it fails
fmc-goto N|start|end    to before transition N
fmc-next [K]            K transitions on
fmc-prev [K]            K transitions back
fmc-where               where in the schedule this is
fmc-mark                remember this place
fmc-restart [N]         go back to the last place remembered, or to the N-th
fmc-threads             what every thread is doing
fmc-thread T            let GDB look at thread T, which has another number there
fmc-objects [all]       mutexes and the like: who holds them, who waits
fmc-schedule [N]        the N transitions around here
fmc-why T               why thread T can't go on
fmc-last-write EXPR     back to who last wrote a variable
fmc-branch T            let thread T go on here instead, and see what comes of it
fmc-save FILE           write that schedule to a file

GDB's own commands work as ever: continue, step, finish, breakpoints and watchpoints, and all of them
backwards: reverse-continue, reverse-step, reverse-finish. The manual is fmc-gdb(7)."""

    def __init__(self):
        super().__init__("fmc", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.write(self.__doc__ + "\n")


class Replay(gdb.Command):
    """Replay a schedule and go to where it fails.
Usage: fmc-replay [--loose] [--asked] FILE

Plays it once, loads the program that it was made of, and shows the failure. With --loose a schedule of
another build of the program is followed as far as it fits. What is about to be run is told, and asked for
if the file is another user's, unless --asked says that this has been done, as `fmc gdb` does."""

    def __init__(self):
        super().__init__("fmc-replay", gdb.COMMAND_RUNNING, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        require_all_stop()
        options = re.match(r"(?:\s*--(?:loose|asked)\s+)*", argument)
        loose = "--loose" in options.group()
        path = read_file(argument[options.end():])
        if not os.path.isfile(path):
            raise gdb.GdbError("%s: there is no such file" % path)
        header = read_header(path)
        if "--asked" not in options.group():
            trust(path, header)
        leave()
        load_program(header)
        connect(path, loose)
        if "follow" in header:
            begin_several()
        gdb.write(ask("goto end"))
        # Threads get GDB's numbers in the order in which they were created.
        if gdb.selected_thread().ptid[:2] in Place().threads.values():
            gdb.selected_inferior().threads()
        settle()


class Goto(gdb.Command):
    """Go to before a transition of the schedule.
Usage: fmc-goto N | start | end

The transitions are those of fmc-schedule; 0 and start are the program's beginning, or the saved state where the
schedule begins in one, end is where it fails."""

    def __init__(self):
        super().__init__("fmc-goto", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        length = Place().length
        word = argument.strip()
        if word in ("start", "begin"):
            part = 0
        elif word == "end":
            part = length + 1
        else:
            part = read_number(word, "a transition from 0 to %d, start or end" % (length + 1), length + 1)
        move("goto %d" % part)

    def complete(self, text, word):
        try:
            return matching(["start", "end"] + [str(i) for i in range(Place().length + 2)], word)
        except gdb.GdbError:
            return []


class Next(gdb.Command):
    """Go on by transitions of the schedule.
Usage: fmc-next [K]"""

    def __init__(self):
        super().__init__("fmc-next", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        move("next %d" % read_count(argument))


class Prev(gdb.Command):
    """Go back by transitions of the schedule.
Usage: fmc-prev [K]

In the middle of a transition, its own beginning is the first."""

    def __init__(self):
        super().__init__("fmc-prev", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        move("prev %d" % read_count(argument))


class Answer(gdb.Command):
    """A command that says what the server answers to one question."""

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        gdb.write(ask(self.question))


class Where(Answer):
    """Say where in the schedule this is.
Usage: fmc-where"""

    name, question = "fmc-where", "position"


class Mark(gdb.Command):
    """Remember this place: fmc-restart goes back to it.
Usage: fmc-mark

Any place can be remembered, also one in the middle of a transition."""

    def __init__(self):
        super().__init__("fmc-mark", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        answer = ask("mark")
        if not answer.startswith("mark "):
            raise gdb.GdbError(answer.strip())
        gdb.write(answer)


class Restart(gdb.Command):
    """Go back to a place that fmc-mark has remembered.
Usage: fmc-restart [N]

N is its number; without it, that is the last one. Says so if the program doesn't look there as it did."""

    def __init__(self):
        super().__init__("fmc-restart", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        require_all_stop()
        if argument.strip():
            read_number(argument.strip(), "the number of a mark", 2**32 - 1)
        said = settle("restart " + argument.strip(), to_string=True)
        if re.search(r"^(a mark is needed|there is no mark)", said, re.M):
            raise gdb.GdbError(re.search(r"^(a mark is needed|there is no mark).*", said, re.M).group())
        gdb.write(said)


class Threads(Answer):
    """Say what every thread is doing, and who is next (=>).
Usage: fmc-threads"""

    name, question = "fmc-threads", "threads"


class Thread(gdb.Command):
    """Let GDB look at a thread by its number in the schedule.
Usage: fmc-thread T

T is T1, T2 ... as in fmc-threads. GDB's own numbers change as threads come and go."""

    def __init__(self):
        super().__init__("fmc-thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        place = Place()
        wanted = read_thread(argument, place)
        thread = find_thread(place.threads[wanted])
        if not thread:
            raise gdb.GdbError("%s has exited" % wanted)
        gdb.execute("thread %d.%d" % (thread.inferior.num, thread.num))

    def complete(self, text, word):
        return complete_threads(word)


class Objects(gdb.Command):
    """Say how mutexes, condition variables and the like stand here, and who waits for them.
Usage: fmc-objects [all]

Without 'all', those that are as they were at first and that nobody waits for are left out."""

    def __init__(self):
        super().__init__("fmc-objects", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if argument.strip() not in ("", "all"):
            raise gdb.GdbError("only 'all' may follow, not '%s'" % argument.strip())
        gdb.write(ask("objects " + argument.strip()))

    def complete(self, text, word):
        return matching(["all"], word)


class Schedule(gdb.Command):
    """Show the transitions of the schedule around here; => is the next one, or the one under way.
Usage: fmc-schedule [N]

N is how many, 10 if it isn't said."""

    def __init__(self):
        super().__init__("fmc-schedule", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        gdb.write(ask("schedule %d" % max(1, read_number(argument.strip() or "10", "a number of transitions", 2**32 - 1))))


class Why(gdb.Command):
    """Say why a thread can't go on: whom it waits for, whom that one waits for, and what happened before.
Usage: fmc-why T

T is T1, T2 ... as in fmc-threads."""

    def __init__(self):
        super().__init__("fmc-why", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        gdb.write(ask("why %s" % read_thread(argument, Place())))

    def complete(self, text, word):
        return complete_threads(word)


class LastWrite(gdb.Command):
    """Go back to the last write of a variable, to before the instruction that writes it.
Usage: fmc-last-write EXPRESSION

Unlike a watchpoint it also finds a write that doesn't change the value. The expression has to lie in
memory and to have 1, 2, 4 or 8 bytes."""

    def __init__(self):
        super().__init__("fmc-last-write", gdb.COMMAND_RUNNING, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        require_all_stop()
        Place()
        expression = argument.strip()
        if not expression:
            raise gdb.GdbError("an expression is needed")
        address, value_type = self.locate(expression)
        after = self.show(address, value_type)
        said = settle("last-write %x %d" % (address, value_type.sizeof), to_string=True)
        found = re.search(r"^T\d.*", said, re.M)
        if found:
            before = self.show(address, value_type)
            gdb.write("%s was last written by %s: %s before, %s after\n"
                      % (expression, found.group(), before, after))
        elif "nobody has written it before" in said:
            gdb.write("nobody has written %s before this\n" % expression)
        else:
            raise gdb.GdbError(said.strip())

    @staticmethod
    def locate(expression):
        try:
            value = gdb.parse_and_eval(expression)
            place = value.address
            value_type = value.type.strip_typedefs()
        except (gdb.error, gdb.MemoryError) as error:
            raise gdb.GdbError(str(error))
        if place is None:
            raise gdb.GdbError("%s isn't in memory" % expression)
        address = int(place.cast(gdb.lookup_type("unsigned long")))
        if value_type.sizeof not in HARDWARE_SIZES or address % value_type.sizeof:
            raise gdb.GdbError("%s has %d bytes at 0x%x: the processor watches 1, 2, 4 or 8 at a multiple of that"
                               % (expression, value_type.sizeof, address))
        return address, value_type

    @staticmethod
    def show(address, value_type):
        try:
            return str(gdb.Value(address).cast(value_type.pointer()).dereference())
        except gdb.MemoryError:
            return "no memory"


class Branch(gdb.Command):
    """Leave the schedule: let another thread go on here, and say how the execution then ends.
Usage: fmc-branch T

The new schedule takes the place of the one that was followed; GDB stays where it is. fmc-save writes it
to a file."""

    def __init__(self):
        super().__init__("fmc-branch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        require_all_stop()
        thread = read_thread(argument, Place())
        answer = ask("branch " + thread)
        if "%s goes on instead" % thread not in answer:
            raise gdb.GdbError(answer.strip())
        gdb.write(answer)
        if len(gdb.inferiors()) > 1:
            part = Place().part
            meet_inferiors()
            ask("goto %d" % part)
        settle()

    def complete(self, text, word):
        return complete_threads(word)


class Save(gdb.Command):
    """Write the schedule that is followed, a branch too, to a file.
Usage: fmc-save FILE

A file that exists isn't replaced: the new one gets a number."""

    def __init__(self):
        super().__init__("fmc-save", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        answer = ask("save " + read_file(argument))
        if not re.match(r"\d+ transitions in ", answer):
            raise gdb.GdbError(answer.strip())
        gdb.write(answer)


SCRIPT = __file__
for command in (Overview, Replay, Goto, Next, Prev, Where, Mark, Restart, Threads, Thread, Objects, Schedule, Why, LastWrite,
                Branch, Save):
    command()
