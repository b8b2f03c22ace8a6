#!/usr/bin/env python3
"""inside.py FMC [NAME]...: how much of the programs of programs.txt runs inside of them, without stops, in searches of CHECK seconds each, random
schedules.

A line for each: transitions that the agent has run, those of the first executions, which are run by stops by design, and the others; then the reasons of
the others, by how many transitions they have cost, and the share that was run inside, without the first executions and with them. With ENGINE=agent no
first executions are left to stops; with VERIFY=N every N-th execution is run by stops, too, and compared: what differs is told. Programs that aren't installed, servers, and those in which nothing has been decided (one thread) are left out.
"""
import os
import re
import subprocess
import sys
import tempfile

import run

CHECK = float(os.environ.get("CHECK", "10"))
ENGINE = os.environ.get("ENGINE", "auto")
VERIFY = os.environ.get("VERIFY")
# Executions before it is known where they begin are as few.
BY_DESIGN = ("the first are run by stops", "it isn't known yet where executions begin")

GIVEN_UP = "it gave up too often"


class Count:
    def __init__(self, said):
        both = re.search(r"(\d+) executions by the agent, of (\d+) transitions, and (\d+) by stops, of (\d+)", said)
        self.known = both is not None
        self.inside, self.stops = (int(both[2]), int(both[4])) if both else (0, 0)
        self.reasons = {}
        difference = re.search(r"^fmc: .*: (by the agent .*)$", said, re.M)
        self.difference = difference[1] if difference else None
        for executions, why, transitions in re.findall(r"(\d+) not by the agent: (.*): (\d+) transitions", said):
            # How many of them have to be by stops until it is known.
            known = why != BY_DESIGN[1] or int(executions) <= 2
            self.reasons[why if known else "its beginning can't be kept"] = int(transitions)
        self.first = sum(self.reasons.pop(why, 0) for why in BY_DESIGN)
        # What isn't attempted any more is so for the reason that most attempts were in vain for.
        given_up = self.reasons.pop(GIVEN_UP, 0)
        if given_up:
            why = max(self.reasons, key=self.reasons.get, default=GIVEN_UP)
            self.reasons[why] = self.reasons.get(why, 0) + given_up


def count(fmc, program, files, scratch):
    folder = os.path.join(scratch, "run")
    subprocess.run(["rm", "-rf", folder], check=True)
    os.makedirs(folder)
    given = ["--stdin", files.find(program.input)] if program.input != "-" else []
    words = [fmc, "check", "-v", "--strategy", "random", "--engine", ENGINE, "--time", str(CHECK), "--all", "--no-minimize"]
    words += ["--verify-engine", VERIFY] if VERIFY else []
    words += given + ["-o", os.path.join(folder, "found.sched"), "--"] + program.command(files, os.path.join(folder, "out"))
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return Count(done.stdout.decode(errors="replace"))


def share(part, whole):
    return "%.1f %%" % (100 * part / whole) if whole else "-"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    fmc, wanted = os.path.abspath(sys.argv[1]), set(sys.argv[2:])
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.txt")
    inside = first = others = programs = 0
    reasons = {}
    print("%-12s %10s %10s %10s  %s" % ("program", "inside", "first", "others", "why"))
    with tempfile.TemporaryDirectory(prefix="fmc-inside.") as scratch:
        files = run.Files(os.path.join(scratch, "files"))
        os.makedirs(files.folder)
        for program in map(run.Program, run.entries(table)):
            if (wanted and program.name not in wanted) or program.client or not program.installed():
                continue
            found = count(fmc, program, files, scratch)
            rest = found.stops - found.first
            if found.inside + found.stops == 0:
                continue
            programs, inside, first, others = programs + 1, inside + found.inside, first + found.first, others + rest
            for why, transitions in found.reasons.items():
                reasons.setdefault(why, []).append((transitions, program.name))
            why = found.difference or max(found.reasons, key=found.reasons.get, default="")
            print("%-12s %10d %10d %10d  %s" % (program.name, found.inside, found.first, rest, why), flush=True)
    print("\n%10s  %s" % ("others", "reason: programs"))
    for why, cost in sorted(reasons.items(), key=lambda reason: -sum(t for t, _ in reason[1])):
        print("%10d  %s: %s" % (sum(t for t, _ in cost), why, ", ".join(name for t, name in sorted(cost, reverse=True) if t)))
    print("\n%d programs, %d transitions inside, %d by stops, %d of these in first executions" % (programs, inside, first + others, first))
    print("inside: %s, with the first executions %s" % (share(inside, inside + others), share(inside, inside + others + first)))


if __name__ == "__main__":
    main()
