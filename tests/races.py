#!/usr/bin/env python3
"""Small programs of plain accesses to memory, and what they can come to: races.py SEED FOLDER.

Two threads add to, copy between and set two variables, with and without a lock; x86's instructions that read and write are one
access, then another. Writes FOLDER/SEED.c, a program that exits with 1 when what its variables come to is its argument, and prints
a line for each of all outcomes that words of that kind have: "can OUTCOME" or "never OUTCOME", found by running every order of the
accesses.
"""
import random
import sys


def statement(rng):
    kind = rng.choice(["add", "add", "copy", "set", "swap"])
    x, y = rng.choice([("x", "y"), ("y", "x")])
    return kind, x, y, rng.randint(1, 2)


def thread(rng):
    statements = [statement(rng) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.4:
        at = rng.randrange(len(statements))
        statements[at:at + 1] = [("lock",), statements[at], ("unlock",)]
    return statements


def code(item):
    if item[0] in ("lock", "unlock"):
        return f"pthread_mutex_{item[0]}(&mutex);"
    kind, x, y, n = item
    return {
        "add": f'__asm__ volatile("addl %1, %0" : "+m"({x}) : "i"({n}) : "cc");',
        "copy": f"{x} = {y} + {n};",
        "set": f"{x} = {n};",
        "swap": f"{{ int old = {x}; {x} = {y}; {y} = old; }}",
    }[kind]


def accesses(item):
    """As steps: what a thread does to memory and its registers at one time."""
    if item[0] in ("lock", "unlock"):
        return [item]
    kind, x, y, n = item
    return {
        "add": [("read", x, "a"), ("write", x, "a", n)],
        "copy": [("read", y, "a"), ("write", x, "a", n)],
        "set": [("write", x, None, n)],
        "swap": [("read", x, "a"), ("read", y, "b"), ("write", x, "b", 0), ("write", y, "a", 0)],
    }[kind]


def outcomes(threads):
    steps = [[step for item in items for step in accesses(item)] for items in threads]
    found, seen = set(), set()
    stack = [((0, 0), (0, 0), None, ((0, 0), (0, 0)))]
    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        at, (x, y), holder, registers = state
        if all(at[t] == len(steps[t]) for t in (0, 1)):
            found.add((x, y))
        for t in (0, 1):
            if at[t] == len(steps[t]):
                continue
            step, memory, own, held = steps[t][at[t]], {"x": x, "y": y}, dict(zip("ab", registers[t])), holder
            if step[0] == "lock":
                if holder is not None:
                    continue
                held = t
            elif step[0] == "unlock":
                held = None
            elif step[0] == "read":
                own[step[2]] = memory[step[1]]
            else:
                memory[step[1]] = (own[step[2]] if step[2] else 0) + step[3]
            now = (own["a"], own["b"])
            stack.append(((at[0] + (t == 0), at[1] + (t == 1)), (memory["x"], memory["y"]), held,
                          (now, registers[1]) if t == 0 else (registers[0], now)))
    return found


def main():
    seed, folder = int(sys.argv[1]), sys.argv[2]
    rng = random.Random(seed)
    threads = [thread(rng), thread(rng)]
    body = "\n".join(
        f"static void *t{t}(void *unused)\n{{\n" + "".join(f"\t{code(item)}\n" for item in items) + "\treturn unused;\n}\n"
        for t, items in enumerate(threads))
    with open(f"{folder}/{seed}.c", "w") as source:
        source.write(f"""#include <pthread.h>
#include <stdlib.h>
static volatile int x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
{body}
int main(int argc, char **argv)
{{
	pthread_t a, b;
	(void)argc;
	pthread_create(&a, NULL, t0, NULL);
	pthread_create(&b, NULL, t1, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return x == atoi(argv[1]) && y == atoi(argv[2]);
}}
""")
    can = outcomes(threads)
    never = [(x, y) for x in range(0, 9) for y in range(0, 9) if (x, y) not in can]
    for outcome in sorted(can):
        print("can", *outcome)
    for outcome in rng.sample(never, 2):
        print("never", *outcome)


main()
