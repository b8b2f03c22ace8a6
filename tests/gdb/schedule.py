"""What run-gdb-commands.sh does in GDB with one schedule, whose path is in $SCHEDULE.

Writes "ok NAME" or "FAIL NAME: why" lines to $RESULTS, and a branch that ends well to $BRANCH."""

import os
import re
import time

SECONDS = 20  # for looking for a branch
BRANCHES = 12

results = open(os.environ["RESULTS"], "w")
header = {}
with open(os.environ["SCHEDULE"], errors="replace") as schedule:
    for line in schedule:
        if line.strip() == "":
            break
        key, _, value = line.rstrip("\n").partition(" ")
        header.setdefault(key, value)


def judge(name, good, why=""):
    results.write("ok %s\n" % name if good else "FAIL %s: %s\n" % (name, str(why).replace("\n", " ")))
    results.flush()


def gdb_do(command):
    return gdb.execute(command, to_string=True)


def say(command):
    """What a command says, or its error."""
    try:
        return gdb_do(command)
    except gdb.error as error:
        return "error: " + str(error)


def registers():
    """Of all threads, by their numbers in the schedule."""
    found = {}
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        found[thread.ptid[1]] = gdb_do("info registers")
    return found


def place():
    return tuple(map(int, gdb_do("monitor where").split()[:2]))


def check_failure():
    said = gdb_do("fmc-replay " + os.environ["SCHEDULE"].replace(" ", "\\ "))
    message = header.get("message", "")
    judge("at the failure", "at the end, after transition" in said and message in said, said)
    stacks = gdb_do("thread apply all bt")
    for wanted in re.findall(r"@(\S+:\d+)", header.get("signature", "")):
        judge("the stack has " + wanted, wanted in stacks, stacks)


def check_places():
    length = place()[1]
    parts = [0, length // 2 + 1, length, length + 1]
    first = {}
    for part in parts:
        gdb_do("fmc-goto %d" % part)
        judge("fmc-goto %d" % part, place()[0] == part, place())
        first[part] = registers()
    for part in parts[2::-1] + parts:
        gdb_do("fmc-goto %d" % part)
        again = registers()
        judge("the same registers at %d" % part, again == first[part],
              [(t, a) for t, a in again.items() if first[part].get(t) != a])


def check_steps():
    """GDB's own commands after fmc-goto."""
    length = place()[1]
    gdb_do("fmc-goto %d" % (length // 2 + 1))
    # Handlers run up to their first operation as a whole.
    if "signal_take" in gdb_do("fmc-where"):
        gdb_do("fmc-next")
    before, part = gdb_do("x/i $pc"), place()[0]
    gdb_do("stepi")
    # Unless the operation has put the thread to sleep: then others run meanwhile.
    if place()[0] == part <= length:
        gdb_do("reverse-stepi")
        judge("stepi and back", gdb_do("x/i $pc") == before, before)
    gdb_do("fmc-goto %d" % part)
    gdb_do("fmc-prev")
    gdb_do("fmc-next")
    judge("fmc-prev and fmc-next", place()[0] == part and gdb_do("x/i $pc") == before, place())
    for command in ("fmc-threads", "fmc-objects all", "fmc-schedule", "fmc-why T1"):
        judge(command, "error" not in say(command) and say(command).strip(), say(command))


def check_branch():
    """From after, let somebody else go on, until that ends well."""
    begin, tried = time.monotonic(), 0
    part = place()[1]
    while part > 0 and tried < BRANCHES and time.monotonic() - begin < SECONDS:
        gdb_do("fmc-goto %d" % part)
        # The list as it is here: a branch doesn't move.
        for thread in re.findall(r"^   (T\d+) .*before ", gdb_do("fmc-threads"), re.M):
            said = say("fmc-branch " + thread)
            if said.startswith("error"):
                continue
            tried += 1
            judge("fmc-branch stays", place()[0] == part, place())
            if "ends well" in said:
                judge("fmc-save", "transitions in" in say("fmc-save " + os.environ["BRANCH"]))
                gdb_do("fmc-goto end")
                return
        part = min(part - 1, place()[1])


try:
    gdb.execute("set pagination off")
    gdb.execute("set width 0")
    gdb.execute("set debuginfod enabled off")
    check_failure()
    check_places()
    check_steps()
    check_branch()
    judge("GDB came through", True)
except gdb.error as error:
    judge("GDB came through", False, error)
