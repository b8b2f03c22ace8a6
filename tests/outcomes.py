#!/usr/bin/env python3
"""Small programs that print, and what they can print: outcomes.py SEED FOLDER.

Threads lock mutexes, count below them, and print by system calls and by libc's streams. Writes FOLDER/SEED.c, and prints a line of JSON for
each outcome that running every order of these steps comes to: how it ends, its exit status, its output.

    outcomes.py compare FILE EXPECTED: the outcomes in a result of fmc check --json, held against these lines.
"""
import json
import random
import sys

PRINTS = {
    "write": 'if (write(1, "{0}", {1}) < 0) return 0;',
    "printf": 'printf("{0}");',
    "number": 'printf("%d", (int)sizeof "{0}");',
    "fputs": 'fputs("{0}", stdout);',
    "fwrite": 'fwrite("{0}", 1, {1}, stdout);',
    "fputc": "fputc('{2}', stdout);",
    "flush": "fflush(stdout);",
    "errors": 'fprintf(stderr, "{0}");',
}


def section(rng, nested):
    """Steps below a lock: a counter of the mutex's, of which each thread keeps what it has seen."""
    mutex = rng.choice("mn")
    inside = [("count", mutex)]
    if rng.random() < 0.4:
        inside.append(prints(rng))
    if nested and rng.random() < 0.3:
        inside += [("lock", "n" if mutex == "m" else "m"), ("unlock", "n" if mutex == "m" else "m")]
    after = [("show",)] if rng.random() < 0.5 else []
    return [("lock", mutex), *inside, ("unlock", mutex), *after]


def prints(rng):
    return ("print", rng.choice(list(PRINTS)), rng.choice("abcdef"))


def thread(rng, nested):
    steps = []
    for _ in range(rng.randint(1, 2)):
        steps += section(rng, nested) if rng.random() < 0.6 else [prints(rng)]
    return steps


def text_of(step):
    kind, letter = step[1], step[2]
    return {"number": "2", "flush": "", "errors": ""}.get(kind, letter)


def code(step):
    if step[0] in ("lock", "unlock"):
        return f"pthread_mutex_{step[0]}(&{step[1]});"
    if step[0] == "count":
        return f"seen = ++count_{step[1]};"
    if step[0] == "show":
        return 'printf("%d", seen);'
    return PRINTS[step[1]].format(step[2], 1, step[2])


def program(threads, status):
    lines = ["#include <pthread.h>", "#include <stdio.h>", "#include <unistd.h>", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER,",
             "\tn = PTHREAD_MUTEX_INITIALIZER;", "static int count_m, count_n;", "static int last;"]
    for i, steps in enumerate(threads):
        lines += [f"static void *thread_{i}(void *unused)", "{", "\tint seen = 0;"]
        lines += ["\t" + code(step) for step in steps]
        if status:
            lines += ["\tpthread_mutex_lock(&m);", f"\tlast = {i};", "\tpthread_mutex_unlock(&m);"]
        lines += ["\t(void)seen;", "\treturn unused;", "}"]
    lines += ["int main(void)", "{", f"\tpthread_t threads[{len(threads)}];"]
    lines += [f"\tpthread_create(&threads[{i}], NULL, thread_{i}, NULL);" for i in range(len(threads))]
    lines += [f"\tpthread_join(threads[{i}], NULL);" for i in range(len(threads))]
    return "\n".join(lines + ["\treturn last;", "}"]) + "\n"


def run(threads, status):
    """Every order of all steps; a state: how far each thread is, what it has seen, owners, counters, output, buffer, last."""
    if status:
        threads = [steps + [("lock", "m"), ("last", i), ("unlock", "m")] for i, steps in enumerate(threads)]
    start = ((0,) * len(threads), (0,) * len(threads), (None, None), (0, 0), "", "", 0)
    found, known, stack = set(), {start}, [start]
    while stack:
        state = stack.pop()
        following = [after for t in range(len(threads)) if (after := step(threads, state, t))]
        if not following:
            over = all(state[0][t] == len(threads[t]) for t in range(len(threads)))
            found.add(("exit", state[6], state[4] + state[5]) if over else ("deadlock", None, state[4]))
        for after in following:
            if after not in known:
                known.add(after)
                stack.append(after)
    return found


def step(threads, state, t):
    at, seen, owners, counts, output, buffer, last = state
    if at[t] == len(threads[t]):
        return None
    what = threads[t][at[t]]
    at, seen, owners, counts = list(at), list(seen), list(owners), list(counts)
    at[t] += 1
    i = "mn".index(what[1]) if what[0] in ("lock", "unlock", "count") else 0
    if what[0] == "lock":
        if owners[i] is not None:
            return None
        owners[i] = t
    elif what[0] == "unlock":
        owners[i] = None
    elif what[0] == "count":
        counts[i] += 1
        seen[t] = counts[i]
    elif what[0] == "last":
        last = what[1]
    elif what[0] == "show":
        buffer += str(seen[t])
    elif what[1] == "write":
        output += what[2]
    elif what[1] == "flush":
        output, buffer = output + buffer, ""
    else:
        buffer += text_of(what)
    return tuple(at), tuple(seen), tuple(owners), tuple(counts), output, buffer, last


def make(seed, folder):
    rng = random.Random(seed)
    nested, status = seed % 3 == 0, seed % 4 == 1
    threads = [thread(rng, nested) for _ in range(2 if rng.random() < 0.7 else 3)]
    if len(threads) == 3:
        threads = [steps[:4] if steps[0][0] == "lock" else steps[:2] for steps in threads]
        threads = [balanced(steps) for steps in threads]
    with open(f"{folder}/{seed}.c", "w", encoding="ascii") as file:
        file.write(program(threads, status))
    for end, value, output in sorted(run(threads, status), key=str):
        print(json.dumps([end, value, output]))


def balanced(steps):
    """What was cut off is no lock that stays."""
    held = []
    for what in steps:
        if what[0] == "lock":
            held.append(what[1])
        elif what[0] == "unlock":
            held.remove(what[1])
    return steps + [("unlock", mutex) for mutex in reversed(held)]


def compare(path, expected):
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    with open(expected, encoding="ascii") as file:
        wanted = {tuple(json.loads(line)) for line in file}
    got = {("exit" if one["exit_status"] is not None else one["end"], one["exit_status"], one["output"]) for one in result["outcomes"]}
    for one in sorted(wanted - got, key=str):
        print("missed:", one)
    for one in sorted(got - wanted, key=str):
        print("impossible:", one)
    counted = sum(one["count"] for one in result["outcomes"])
    if counted > result["executions"]:
        print(f"{counted} ends in {result['executions']} executions")
    unwritten = [one for one in result["outcomes"] if not one["schedule"]]
    if unwritten:
        print("without a schedule:", unwritten)
    return wanted != got or counted > result["executions"] or bool(unwritten)


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2], sys.argv[3]))
    make(int(sys.argv[1]), sys.argv[2])
