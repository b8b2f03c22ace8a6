#!/usr/bin/env python3
"""Small programs of plain accesses, fences and locks, and what they can come to under x86-TSO: tso.py NAME FOLDER.

NAME is a litmus test's (SB, SB+mfence, SB+xchg, MP, LB, IRIW, ...) or a number: a program made at random. Writes FOLDER/NAME.c, a program
that exits with 1 when what its threads have read, and its variables come to, is its arguments, and prints a line for each outcome:
"can OUTCOME" or "never OUTCOME", found by running every order of the accesses on an operational model: each thread has a first-in,
first-out buffer of two stores that it reads through, and fences wait for it to be empty. "sc OUTCOME" is one of those that can be
without buffers, too.
"""
import random
import sys

BUFFER = 2
VARIABLES = "xyz"

# Statements: what a thread does. set: x = n; get: r = x; add: addl, a read and then a store of what it makes of it; fence: mfence; weak:
# lfence and sfence, which wait for nothing; xchg: an exchange with a variable that nobody else has; lock, unlock: of a mutex;
# call: of the system; mine: a store that no other thread reads, to its stack and elsewhere.
LITMUS = {
    "SB": ["set x 1, get y", "set y 1, get x"],
    "SB+mfence": ["set x 1, fence, get y", "set y 1, fence, get x"],
    "SB+xchg": ["set x 1, xchg, get y", "set y 1, xchg, get x"],
    "SB+weak": ["set x 1, weak, get y", "set y 1, weak, get x"],
    "SB+lock": ["set x 1, lock, unlock, get y", "set y 1, lock, unlock, get x"],
    "SB+call": ["set x 1, call, get y", "set y 1, call, get x"],
    "SB+mine": ["set x 1, mine, get y", "set y 1, mine, get x"],
    "SB+one": ["set x 1, fence, get y", "set y 1, get x"],
    "MP": ["set x 1, set y 1", "get y, get x"],
    "LB": ["get x, set y 1", "get y, set x 1"],
    "IRIW": ["set x 1", "set y 1", "get x, get y", "get y, get x"],
    "own": ["set x 1, get x, get y", "set y 1, get y, get x"],
    "two": ["set x 1, set y 1, get z", "set z 1, get y, get x"],
    "full": ["set x 1, set x 2, set y 1, get z", "set z 1, get y, get x"],
    "count": ["add x 1, get y", "add y 1, get x"],
}


def parse(text):
    return [tuple(int(word) if word.isdigit() else word for word in item.split()) for item in text.split(", ")]


def statement(rng, t):
    """Mostly stores to one variable and loads of the other: what buffers show in."""
    kind = rng.choice(["set"] * 4 + ["get"] * 4 + ["add", "fence", "mine"])
    variable = rng.choice(("xy", "yx")[t]) if rng.random() < 0.3 else "xy"[t ^ (kind == "get")]
    if kind == "mine":
        return (kind,)
    return {"get": ("get", variable), "fence": ("fence",)}.get(kind, (kind, variable, rng.randint(1, 2)))


def at_random(seed):
    """Each thread writes and reads both, so that all are accesses that threads share."""
    rng = random.Random(seed)
    threads = []
    while len(threads) < 2:
        thread = [statement(rng, len(threads)) for _ in range(rng.randint(2, 4))]
        if sum(item[0] == "get" for item in thread) in (1, 2) and any(item[0] in ("set", "add") for item in thread):
            threads.append(thread)
    return threads


def code(t, thread):
    lines, registers = ["volatile int local = 1;", f"apart = {t};"], 0
    for kind, *rest in thread:
        if kind == "get":
            lines.append(f"int r{registers} = {rest[0]};")
            registers += 1
        else:
            lines.append({
                "set": lambda: f"{rest[0]} = {rest[1]};",
                "add": lambda: f'__asm__ volatile("addl %1, %0" : "+m"({rest[0]}) : "i"({rest[1]}) : "cc");',
                "fence": lambda: '__asm__ volatile("mfence" ::: "memory");',
                "weak": lambda: '__asm__ volatile("lfence; sfence" ::: "memory");',
                "xchg": lambda: f"__atomic_exchange_n(&own{t}, 1, __ATOMIC_SEQ_CST);",
                "call": lambda: "(void)syscall(SYS_getppid);",
                "mine": lambda: f"own{t} = local; apart = local; local = apart + own{t};",
                "lock": lambda: "pthread_mutex_lock(&mutex);",
                "unlock": lambda: "pthread_mutex_unlock(&mutex);",
            }[kind]())
    lines.append("(void)local;")
    lines += [f"seen[{t}][{i}] = r{i};" for i in range(registers)]
    return "".join(f"\t{line}\n" for line in lines)


def steps_of(thread):
    steps = []
    for kind, *rest in thread:
        if kind == "add":
            steps += [("read", rest[0], False), ("more", rest[0], rest[1])]
        elif kind == "get":
            steps.append(("read", rest[0], True))
        elif kind == "set":
            steps.append(("store", *rest))
        elif kind == "lock" or kind == "unlock":
            steps.append((kind,))
        elif kind not in ("weak", "mine"):
            steps.append(("fence",))
    return steps


def outcomes(threads, buffer):
    """A state: positions, memory, buffers, what was read to be kept, what was read last, who holds the mutex."""
    steps = [steps_of(thread) + [("fence",)] for thread in threads]
    n = len(steps)
    start = ((0,) * n, (0,) * len(VARIABLES), ((),) * n, ((),) * n, (0,) * n, None)
    found, seen, stack = set(), set(), [start]

    def put(values, t, value):
        return values[:t] + (value,) + values[t + 1:]

    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        at, memory, buffers, kept, last, holder = state
        if all(at[t] == len(steps[t]) for t in range(n)):
            found.add((kept, memory))
        for t in range(n):
            waiting = buffers[t]
            if waiting:
                variable, value = waiting[0]
                stack.append((at, put(memory, VARIABLES.index(variable), value), put(buffers, t, waiting[1:]), kept, last, holder))
            if at[t] == len(steps[t]):
                continue
            step, on = steps[t][at[t]], put(at, t, at[t] + 1)
            if step[0] == "read":
                own = [value for variable, value in waiting if variable == step[1]]
                value = own[-1] if own else memory[VARIABLES.index(step[1])]
                now = put(kept, t, kept[t] + (value,)) if step[2] else kept
                stack.append((on, memory, buffers, now, put(last, t, value), holder))
            elif step[0] in ("store", "more"):
                value = step[2] + (last[t] if step[0] == "more" else 0)
                if buffer == 0:
                    stack.append((on, put(memory, VARIABLES.index(step[1]), value), buffers, kept, last, holder))
                elif len(waiting) < buffer:
                    stack.append((on, memory, put(buffers, t, waiting + ((step[1], value),)), kept, last, holder))
            elif not waiting and not (step[0] == "lock" and holder is not None):
                stack.append((on, memory, buffers, kept, last, {"lock": t, "unlock": None}.get(step[0], holder)))
    return found


def flat(outcome):
    kept, memory = outcome
    return [value for values in kept for value in values] + list(memory)


def main():
    name, folder = sys.argv[1], sys.argv[2]
    threads = [parse(text) for text in LITMUS[name]] if name in LITMUS else at_random(int(name))
    registers = [sum(item[0] == "get" for item in thread) for thread in threads]
    body = "\n".join(f"static void *t{t}(void *unused)\n{{\n{code(t, thread)}\treturn unused;\n}}\n" for t, thread in enumerate(threads))
    owned = "".join(f"static volatile int own{t};\n" for t in range(len(threads)))
    order = [f"seen[{t}][{i}]" for t in range(len(threads)) for i in range(registers[t])] + list(VARIABLES)
    each = range(len(threads))
    with open(f"{folder}/{name}.c", "w") as source:
        source.write(f"""#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int x, y, z;
static int seen[{len(threads)}][4];
static __thread volatile int apart;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
{owned}
{body}
int main(int argc, char **argv)
{{
	pthread_t threads[{len(threads)}];
	(void)argc;
	(void)mutex;
{"".join(f"	(void)own{t};{chr(10)}" for t in each)}{"".join(f"	pthread_create(&threads[{t}], NULL, t{t}, NULL);{chr(10)}" for t in each)}\
{"".join(f"	pthread_join(threads[{t}], NULL);{chr(10)}" for t in each)}	return {" && ".join(f"{value} == atoi(argv[{i + 1}])" for i, value in enumerate(order))};
}}
""")
    can, sc = outcomes(threads, BUFFER), outcomes(threads, 0)
    assert sc <= can
    for outcome in sorted(can):
        print("sc" if outcome in sc else "can", *flat(outcome))
    values = sorted({value for outcome in can for value in flat(outcome)})
    rng = random.Random(name)
    flats = {tuple(flat(outcome)) for outcome in can}
    columns = list(zip(*flats))
    never = set()
    for _ in range(200):
        guess = tuple(rng.choice(sorted(set(column)) or values) for column in columns)
        if guess not in flats:
            never.add(guess)
    for outcome in sorted(never)[:3]:
        print("never", *outcome)


main()
