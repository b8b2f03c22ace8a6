#!/usr/bin/env python3
"""Small programs whose threads wait for memory in loops, and what they can come to: waits.py NAME FOLDER.

waits.py traces N prints how many executions a search needs for N threads that each take and release a lock by
do while (locked); while (xchg(&locked, 1)); if it runs each order of dependent accesses once, and a thread that has gone a round in
vain goes no further.

NAME is that of a program below or a number: a program made at random. Writes FOLDER/NAME.c, which exits with 1 when what its threads have
noted and its variables come to is its arguments, and prints a line for each outcome: "can OUTCOME" or "never OUTCOME"; or only
"hang" and an impossible outcome, if some order leaves a thread in a loop for ever. Found by running every order of the accesses,
round by round of the loops.
"""
import random
import sys

VARIABLES = ("x", "y", "z")

# set: x = n; add: addl, a read and then a write; get: notes x; until: while (!(x == n)); both: while (x == n && y == m);
# either: while (x != n && y != m); first: the same as both, noting whether its first round was its last; tries: up to two rounds of until,
# noting how many; pair: reads x and y until they are equal, and notes them; lock, unlock: a spin lock of z.
PROGRAMS = {
    "flag": ["set x 1", "until x 1, get x"],
    "peterson": ["set x 1, set z 1, both y 1 z 1, add z 2, set x 0", "set y 1, set z 0, both x 1 z 0, add z 2, set y 0"],
    "two": ["set x 1", "set y 1", "either x 1 y 1, get x, get y"],
    "first": ["set x 1, set y 1, set x 0", "first x 0 y 0"],
    "mixed": ["set y 1, set x 1", "first x 0 y 0, get x"],
    "tries": ["set x 1", "tries x 1, get x"],
    "pair": ["set x 1, set y 1", "pair"],
    "locks": ["lock, add x 1, unlock", "lock, add x 1, unlock", "lock, get x, unlock"],
    "never": ["set x 1", "until y 1"],
    "sometimes": ["set x 1, set x 0", "until x 1"],
}


def parse(text):
    return [tuple(int(word) if word.isdigit() else word for word in item.split()) for item in text.split(", ")]


def statement(rng):
    kind = rng.choice(["set"] * 5 + ["add", "get", "until", "both", "either", "first", "tries", "pair"])
    a, b = rng.sample(VARIABLES[:2], 2)
    n, m = rng.randint(0, 1), rng.randint(0, 1)
    return {"set": (kind, a, rng.randint(0, 2)), "add": (kind, a, 1), "get": (kind, a), "until": (kind, a, rng.randint(0, 1)),
            "tries": (kind, a, n), "pair": (kind,)}.get(kind, (kind, a, n, b, m))


WAITS = ("until", "both", "either", "first", "tries", "pair")


def at_random(seed):
    """At least one thread waits; none does so more than once, or writes nothing but the last."""
    rng = random.Random(seed)
    while True:
        threads = [[statement(rng) for _ in range(rng.randint(1, 3))] for _ in range(rng.choice((2, 2, 3)))]
        waits = [sum(item[0] in WAITS for item in thread) for thread in threads]
        writes = [any(item[0] in ("set", "add") for item in thread) for thread in threads]
        if 1 <= sum(waits) <= 2 and max(waits) == 1 and sum(writes) >= len(threads) - 1 and sum(map(len, threads)) <= 6:
            return threads


def code(t, thread):
    lines, noted = [], 0

    def note(value):
        nonlocal noted
        lines.append(f"seen[{t}][{noted}] = {value};")
        noted += 1

    for kind, *rest in thread:
        if kind == "set":
            lines.append(f"{rest[0]} = {rest[1]};")
        elif kind == "add":
            lines.append(f'__asm__ volatile("addl %1, %0" : "+m"({rest[0]}) : "i"({rest[1]}) : "cc");')
        elif kind == "get":
            note(rest[0])
        elif kind == "until":
            lines.append(f"while ({rest[0]} != {rest[1]})" + (' __asm__ volatile("pause");' if t % 2 else ";"))
        elif kind == "both":
            lines.append(f"while ({rest[0]} == {rest[1]} && {rest[2]} == {rest[3]});")
        elif kind == "either":
            lines.append(f"while ({rest[0]} != {rest[1]} && {rest[2]} != {rest[3]}) sched_yield();")
        elif kind == "first":
            lines.append(f"{{ int first = 1; while ({rest[0]} == {rest[1]} && {rest[2]} == {rest[3]}) first = 0;")
            note("first")
            lines.append("}")
        elif kind == "tries":
            lines.append(f"{{ int i = 0; while (i < 2 && {rest[0]} != {rest[1]}) i++;")
            note("i")
            lines.append("}")
        elif kind == "pair":
            lines.append("{ int a, b; do { a = x; b = y; } while (a != b);")
            note("a")
            lines.append("}")
        elif kind == "lock":
            lines.append("while (__atomic_exchange_n(&z, 1, __ATOMIC_ACQUIRE));")
        elif kind == "unlock":
            lines.append("__atomic_store_n(&z, 0, __ATOMIC_RELEASE);")
    return "".join(f"\t{line}\n" for line in lines), noted


def steps_of(thread):
    """(what, variable, argument, where next): the last a function of what was read and the registers, giving place and registers."""
    steps = []

    def read(variable, then):
        steps.append(("read", variable, then))

    for kind, *rest in thread:
        if kind == "set":
            steps.append(("write", rest[0], lambda registers, n=rest[1]: n))
        elif kind == "add":
            read(rest[0], lambda value, registers: (1, registers[:-1] + (value,)))
            steps.append(("write", rest[0], lambda registers, n=rest[1]: registers[-1] + n))
        elif kind == "get":
            read(rest[0], lambda value, registers: (1, (value,) + registers))
        elif kind == "until":
            read(rest[0], lambda value, registers, n=rest[1]: (int(value == n), registers))
        elif kind in ("both", "either"):
            read(rest[0], lambda value, registers, n=rest[1], stays=kind == "both": (1 if (value == n) == stays else 2, registers))
            read(rest[2], lambda value, registers, n=rest[3], stays=kind == "both": (-1 if (value == n) == stays else 1, registers))
        elif kind == "first":
            steps.append(("begin", None, lambda registers: registers[:-1] + (1,)))
            read(rest[0], lambda value, registers, n=rest[1]: (1, registers) if value == n else (2, (registers[-1],) + registers))
            read(rest[2], lambda value, registers, n=rest[3]:
                 (-1, registers[:-1] + (0,)) if value == n else (1, (registers[-1],) + registers))
        elif kind == "tries":
            steps.append(("begin", None, lambda registers: registers[:-1] + (0,)))
            read(rest[0], lambda value, registers, n=rest[1]:
                 (1, (registers[-1],) + registers) if value == n
                 else (1, (2,) + registers) if registers[-1] == 1 else (0, registers[:-1] + (1,)))
        elif kind == "pair":
            read("x", lambda value, registers: (1, registers[:-1] + (value,)))
            read("y", lambda value, registers: (-1, registers) if value != registers[-1] else (1, (value,) + registers))
        elif kind == "lock":
            steps.append(("exchange", "z", lambda value, registers: (int(value == 0), registers)))
        elif kind == "unlock":
            steps.append(("write", "z", lambda registers: 0))
    return steps


def run(threads):
    """All outcomes, and whether some order leads to where none is reached any more. Registers: what is noted, the last first; then one."""
    steps = [steps_of(thread) for thread in threads]
    n = len(steps)

    def put(values, t, value):
        return values[:t] + (value,) + values[t + 1:]

    def step(state, t):
        at, memory, registers = state
        what, variable, then = steps[t][at[t]]
        if what == "begin":
            return put(at, t, at[t] + 1), memory, put(registers, t, then(registers[t]))
        i = VARIABLES.index(variable)
        if what == "write":
            return put(at, t, at[t] + 1), put(memory, i, then(registers[t])), registers
        jump, now = then(memory[i], registers[t])
        after = put(memory, i, 1) if what == "exchange" else memory
        return put(at, t, at[t] + jump), after, put(registers, t, now)

    start = ((0,) * n, (0,) * len(VARIABLES), ((0,),) * n)
    before, ends, stack = {start: []}, [], [start]
    while stack:
        state = stack.pop()
        live = [t for t in range(n) if state[0][t] < len(steps[t])]
        if not live:
            ends.append(state)
        for t in live:
            after = step(state, t)
            if after not in before:
                before[after] = []
                stack.append(after)
            before[after].append(state)
    good, stack = set(ends), list(ends)
    while stack:
        for state in before[stack.pop()]:
            if state not in good:
                good.add(state)
                stack.append(state)
    outcomes = {tuple(value for own in registers for value in reversed(own[:-1])) + memory for _, memory, registers in ends}
    return outcomes, len(good) < len(before)


def lock_traces(n):
    """By running all orders of the accesses, two of which are one where each access comes after the same ones: a read after a write, a write
    after a write and the reads since. State: the lock, where each thread is, of each what its accesses came after, the last write and the
    reads since."""
    LOAD, TAKE, RELEASE, OVER, VAIN = range(5)
    start = (0, (LOAD,) * n, ((),) * n, None, frozenset())
    seen, stack, ends = {start}, [start], 0
    while stack:
        lock, at, accesses, write, reads = stack.pop()
        live = [t for t in range(n) if at[t] < OVER]
        ends += not live
        for t in live:
            me = (t, len(accesses[t]))
            own, after = accesses[t] + ((write, None if at[t] == LOAD else reads),), (me, frozenset())
            if at[t] == LOAD:
                after, now, then = (write, reads | {me}), lock, VAIN if lock else TAKE
            else:
                now, then = (1, VAIN if lock else RELEASE) if at[t] == TAKE else (0, OVER)
            state = (now, at[:t] + (then,) + at[t + 1:], accesses[:t] + (own,) + accesses[t + 1:], *after)
            if state not in seen:
                seen.add(state)
                stack.append(state)
    return ends


def main():
    name, folder = sys.argv[1], sys.argv[2]
    if name == "traces":
        print(lock_traces(int(folder)))
        return
    threads = [parse(text) for text in PROGRAMS[name]] if name in PROGRAMS else at_random(int(name))
    bodies = [code(t, thread) for t, thread in enumerate(threads)]
    order = [f"seen[{t}][{i}]" for t, (_, noted) in enumerate(bodies) for i in range(noted)] + list(VARIABLES)
    each = range(len(threads))
    functions = "\n".join(f"static void *t{t}(void *unused)\n{{\n{body}\treturn unused;\n}}\n" for t, (body, _) in enumerate(bodies))
    with open(f"{folder}/{name}.c", "w") as source:
        source.write(f"""#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static volatile int x, y, z;
static int seen[{len(threads)}][4];
{functions}
int main(int argc, char **argv)
{{
	pthread_t threads[{len(threads)}];
	(void)argc;
	(void)seen;
{"".join(f"	pthread_create(&threads[{t}], NULL, t{t}, NULL);{chr(10)}" for t in each)}\
{"".join(f"	pthread_join(threads[{t}], NULL);{chr(10)}" for t in each)}	return {" && ".join(f"{value} == atoi(argv[{i + 1}])" for i, value in enumerate(order))};
}}
""")
    can, hangs = run(threads)
    if hangs:
        print("hang", *[9] * len(order))
        return
    for outcome in sorted(can):
        print("can", *outcome)
    rng = random.Random(name)
    columns = [sorted(set(column) | {0, 1}) for column in zip(*can)]
    never = {guess for guess in (tuple(rng.choice(column) for column in columns) for _ in range(100)) if guess not in can}
    for outcome in sorted(never)[:2] or [(9,) * len(order)]:
        print("never", *outcome)


main()
