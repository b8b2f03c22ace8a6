#!/usr/bin/env python3
"""Small programs of accesses to few words, and what they can come to under x86-TSO: tso.py NAME FOLDER.

NAME is a litmus test's (SB, SB+mfence, MP, ...) or a number: a program made at random. Writes FOLDER/NAME.c, a program that prints what its
threads have read and its variables come to, and FOLDER/NAME.expected, a line for each such output: "sc OUTPUT" if it can be without
buffers, else "tso OUTPUT". They are found by running every order of the accesses on an operational model (S. Owens, S. Sarkar, P. Sewell, A
Better x86 Memory Model: x86-TSO, TPHOLs 2009): each thread has a first-in, first-out buffer of two stores that it reads through, and fences
wait for it to be empty. A load of some bytes that the thread has stored and some that it hasn't waits until the store is in memory.
FOLDER/NAME.traces has how many traces there are without buffers and with them, if that can be told (traces()).

    tso.py litmus: their names.
    tso.py compare FILE EXPECTED MODEL: the outcomes in a result of fmc check --json, held against those lines.

Is the search complete, all of them are there and every access was watched, else some are; no other one ever is.
"""
import json
import random
import sys

BUFFER = 2
VARIABLES = "xyzw"
WORD = 4

# Statements: what a thread does. set: x = n; get: r = x; add: addl, a read and then a store of what it makes of it; byte, part: the same as
# set and get of one byte of the variable, the second operand says which; fence: mfence; weak: lfence and sfence, which wait for nothing;
# xchg: an exchange; plus: a locked addl; other: an exchange with a variable that nobody else has; lock, unlock: of a mutex; call: of the
# system; mine: a store that no other thread reads, to its stack and elsewhere; if: the rest if the n-th register is so much.
LITMUS = {
    "SB": ["set x 1, get y", "set y 1, get x"],
    "SB+mfence": ["set x 1, fence, get y", "set y 1, fence, get x"],
    "SB+mfence+po": ["set x 1, fence, get y", "set y 1, get x"],
    "SB+xchg": ["xchg x 1, get y", "xchg y 1, get x"],
    "SB+xchg+po": ["xchg x 1, get y", "set y 1, get x"],
    "SB+other": ["set x 1, other, get y", "set y 1, other, get x"],
    "SB+weak": ["set x 1, weak, get y", "set y 1, weak, get x"],
    "SB+lock": ["set x 1, lock, unlock, get y", "set y 1, lock, unlock, get x"],
    "SB+call": ["set x 1, call, get y", "set y 1, call, get x"],
    "SB+mine": ["set x 1, mine, get y", "set y 1, mine, get x"],
    "SB+3": ["set x 1, get y", "set y 1, get z", "set z 1, get x"],
    "SB+4": ["set x 1, get y", "set y 1, get z", "set z 1, get w", "set w 1, get x"],
    "SB+loads": ["set x 1, get y, get x, get y", "set y 1, get x, get y, get x"],
    "peterson": ["set x 1, set z 2, get y, get z", "set y 1, set z 1, get x, get z"],
    "peterson+mfence": ["set x 1, set z 2, fence, get y, get z", "set y 1, set z 1, fence, get x, get z"],
    "MP": ["set x 1, set y 1", "get y, get x"],
    "LB": ["get x, set y 1", "get y, set x 1"],
    "S": ["set x 2, set y 1", "get y, set x 1"],
    "R": ["set x 1, set y 1", "set y 2, get x"],
    "R+mfence": ["set x 1, set y 1", "set y 2, fence, get x"],
    "2+2W": ["set x 1, set y 2", "set y 1, set x 2"],
    "WRC": ["set x 1", "get x, set y 1", "get y, get x"],
    "RWC": ["set x 1", "get x, get y", "set y 1, get x"],
    "IRIW": ["set x 1", "set y 1", "get x, get y", "get y, get x"],
    "CoRR": ["set x 1", "get x, get x"],
    "n4": ["get x, set x 1", "get x, set x 2"],
    "n5": ["set x 1, get x", "set x 2, get x"],
    "n6": ["set x 1, get x, get y", "set y 2, set x 2"],
    "n7": ["set x 1, get x, get y", "set y 1", "get y, get x"],
    "iwp2.4": ["set x 1, get x, get y", "set y 1, get y, get x"],
    "two": ["set x 1, set y 1, get z", "set z 1, get y, get x"],
    "full": ["set x 1, set x 2, set y 1, get z", "set z 1, get y, get x"],
    "mixed": ["add x 1, get y", "xchg x 2, set y 1"],
    "ways": ["get y, set x 2, set y 1, add y 2", "set y 2, set y 1, get x"],
    "count": ["add x 1, get y", "add y 1, get x"],
    "later": ["set x 1, get y, if 0 0 set z 1", "set y 1, get x, if 0 0 add z 1"],
    "part": ["byte x 0 1, get x", "byte x 1 1, get x"],
    "whole": ["set x 257, part x 0, get y", "set y 257, part y 1, get x"],
}

# The traces that Nidhugg (0.4 with LLVM 14; P. A. Abdulla and others, Stateless Model Checking for TSO and PSO, TACAS 2015) counts by --sc and by
# --tso, both with --optimal, of the same accesses as relaxed atomic ones, with main reading all variables at the end. Of three it counts
# others by --tso: SB+loads 13 and peterson 22, where by --source it counts these; mixed 4, though each of its 6 orders without buffers is one of x86-TSO, too.
NIDHUGG = {
    "SB": (3, 4), "SB+mfence": (3, 3), "SB+mfence+po": (3, 4), "SB+xchg": (3, 3), "SB+xchg+po": (3, 4), "SB+other": (3, 3), "SB+lock": (4, 4),
    "SB+3": (7, 8), "SB+4": (15, 16), "SB+loads": (5, 9), "peterson": (8, 16), "peterson+mfence": (8, 8), "MP": (3, 3), "LB": (3, 3),
    "S": (3, 3), "R": (3, 4), "R+mfence": (3, 3), "2+2W": (3, 3), "WRC": (7, 7), "RWC": (7, 8), "IRIW": (15, 15), "CoRR": (3, 3),
    "n4": (4, 4), "n5": (4, 4), "n6": (4, 5), "n7": (7, 8), "iwp2.4": (3, 4), "two": (4, 6), "full": (5, 8), "mixed": (6, 6),
    "ways": (18, 30), "count": (3, 4), "later": (3, 6),
}


def parse(text):
    return [tuple(int(word) if word.isdigit() else word for word in item.split()) for item in text.split(", ")]


def plain(rng, t, threads):
    """Mostly stores to one variable and loads of another: what buffers show in."""
    used = VARIABLES[:threads]
    kind = rng.choice(["set"] * 5 + ["get"] * 5 + ["add", "add", "byte", "part"])
    variable = rng.choice(used) if rng.random() < 0.3 else used[(t + (kind in ("get", "part"))) % threads]
    if kind in ("byte", "part"):
        return (kind, variable, rng.randint(0, 1)) + ((rng.randint(1, 2),) if kind == "byte" else ())
    return (kind, variable) if kind == "get" else (kind, variable, rng.randint(1, 2))


def statement(rng, t, threads, registers):
    chance = rng.random()
    if chance < 0.08:
        return rng.choice([("fence",), ("mine",), ("weak",), ("call",)])
    if chance < 0.2:
        return (rng.choice(["xchg", "plus"]), rng.choice(VARIABLES[:threads]), rng.randint(1, 2))
    if chance < 0.3 and registers:
        return ("if", rng.randrange(registers), rng.randint(0, 1)) + plain(rng, t, threads)
    return plain(rng, t, threads)


def is_get(item):
    return item[0] in ("get", "part", "xchg")


def thread_at_random(rng, t, threads):
    most = 4 if threads == 2 else 3
    while True:
        thread = []
        for _ in range(rng.randint(2, most)):
            thread.append(statement(rng, t, threads, sum(is_get(item) for item in thread)))
            if thread[-1][0] == "if" and is_get(thread[-1][3:]):
                thread.pop()
        if rng.random() < 0.15:
            at = rng.randrange(len(thread))
            thread[at:at + 1] = [("lock",), thread[at], ("unlock",)]
        if 1 <= sum(is_get(item) for item in thread) <= 2 and any(item[0] in ("set", "add", "byte", "xchg", "plus") for item in thread):
            return thread


def at_random(seed):
    rng = random.Random(seed)
    threads = 3 if rng.random() < 0.25 else 2
    return [thread_at_random(rng, t, threads) for t in range(threads)]


def line(t, item, register):
    kind, rest = item[0], item[1:]
    if kind == "if":
        return f"if (r{rest[0]} == {rest[1]})\n\t\t{line(t, rest[2:], register)}"
    return {
        "set": lambda: f"{rest[0]} = {rest[1]};",
        "get": lambda: f"r{register} = {rest[0]};",
        "byte": lambda: f"((volatile unsigned char *)&{rest[0]})[{rest[1]}] = {rest[2]};",
        "part": lambda: f"r{register} = ((volatile unsigned char *)&{rest[0]})[{rest[1]}];",
        "add": lambda: f'__asm__ volatile("addl %1, %0" : "+m"({rest[0]}) : "i"({rest[1]}) : "cc");',
        "xchg": lambda: f"r{register} = __atomic_exchange_n(&{rest[0]}, {rest[1]}, __ATOMIC_SEQ_CST);",
        "plus": lambda: f'__asm__ volatile("lock; addl %1, %0" : "+m"({rest[0]}) : "i"({rest[1]}) : "cc");',
        "fence": lambda: '__asm__ volatile("mfence" ::: "memory");',
        "weak": lambda: '__asm__ volatile("lfence; sfence" ::: "memory");',
        "other": lambda: f"__atomic_exchange_n(&own{t}, 1, __ATOMIC_SEQ_CST);",
        "call": lambda: "(void)getppid();",
        "mine": lambda: f"own{t} = local; apart = local; local = apart + own{t};",
        "lock": lambda: "pthread_mutex_lock(&mutex);",
        "unlock": lambda: "pthread_mutex_unlock(&mutex);",
    }[kind]()


def code(t, thread):
    registers = sum(is_get(item) for item in thread)
    lines = ["volatile int local = 1;", f"apart = {t};"] + [f"int r{i} = 0;" for i in range(registers)]
    register = 0
    for item in thread:
        lines.append(line(t, item, register))
        register += is_get(item)
    lines.append("(void)local;")
    lines += [f"seen[{t}][{i}] = r{i};" for i in range(registers)]
    return "".join(f"\t{each}\n" for each in lines)


def address(variable, byte=0):
    return VARIABLES.index(variable) * WORD + byte


def steps_of(thread):
    """What the oracle performs: accesses by address and size, fences, jumps over the next so many steps."""
    steps = []
    for item in thread:
        kind, rest = item[0], item[1:]
        if kind == "if":
            inner = steps_of([rest[2:]])
            steps += [("unless", rest[0], rest[1], len(inner))] + inner
        elif kind == "add":
            steps += [("read", address(rest[0]), WORD, False), ("more", address(rest[0]), WORD, rest[1])]
        elif kind in ("get", "part"):
            steps.append(("read", address(*rest), WORD if kind == "get" else 1, True))
        elif kind in ("set", "byte"):
            steps.append(("store", address(*rest[:-1]), WORD if kind == "set" else 1, rest[-1]))
        elif kind in ("xchg", "plus"):
            steps.append((kind, address(rest[0]), WORD, rest[1]))
        elif kind in ("lock", "unlock"):
            steps.append((kind,))
        elif kind not in ("weak", "mine"):
            steps.append(("fence",))
    return steps


def overlap(store, at, size):
    return store[0] < at + size and at < store[0] + len(store[1])


def written(memory, at, content):
    return memory[:at] + content + memory[at + len(content):]


def number(content):
    return int.from_bytes(content, "little")


def seen_by(memory, waiting, at, size):
    """What a load finds; None: it has to wait for a store that has a part of it."""
    for store in reversed(waiting):
        if overlap(store, at, size):
            inside = store[0] <= at and at + size <= store[0] + len(store[1])
            return number(store[1][at - store[0]:][:size]) if inside else None
    return number(memory[at:at + size])


def put(values, t, value):
    return values[:t] + (value,) + values[t + 1:]


def successors(state, t, steps, buffer):
    at, memory, buffers, kept, last, holder = state
    waiting = buffers[t]
    if waiting:
        yield at, written(memory, *waiting[0]), put(buffers, t, waiting[1:]), kept, last, holder
    if at[t] == len(steps[t]):
        return
    kind, *rest = steps[t][at[t]]
    on = put(at, t, at[t] + 1)
    if kind == "unless":
        register, value, skipped = rest
        yield on if kept[t][register] == value else put(at, t, at[t] + 1 + skipped), memory, buffers, kept, last, holder
    elif kind == "read":
        value = seen_by(memory, waiting, rest[0], rest[1])
        if value is not None:
            yield on, memory, buffers, put(kept, t, kept[t] + (value,)) if rest[2] else kept, put(last, t, value), holder
    elif kind in ("store", "more"):
        content = ((rest[2] + (last[t] if kind == "more" else 0)) % 2 ** (8 * rest[1])).to_bytes(rest[1], "little")
        if buffer == 0:
            yield on, written(memory, rest[0], content), buffers, kept, last, holder
        elif len(waiting) < buffer:
            yield on, memory, put(buffers, t, waiting + ((rest[0], content),)), kept, last, holder
    elif waiting:
        return
    elif kind in ("xchg", "plus"):
        old = number(memory[rest[0]:rest[0] + rest[1]])
        content = (rest[2] + (old if kind == "plus" else 0)).to_bytes(rest[1], "little")
        yield on, written(memory, rest[0], content), buffers, put(kept, t, kept[t] + (old,)) if kind == "xchg" else kept, last, holder
    elif not (kind == "lock" and holder is not None):
        yield on, memory, buffers, kept, last, {"lock": t, "unlock": None}.get(kind, holder)


def outcomes(threads, buffer):
    """A state: positions, memory, buffers, what was read to be kept, what was read last, who holds the mutex."""
    steps = [steps_of(thread) + [("fence",)] for thread in threads]
    n = len(steps)
    start = ((0,) * n, bytes(WORD * len(VARIABLES)), ((),) * n, ((),) * n, (0,) * n, None)
    found, seen, stack = set(), {start}, [start]
    while stack:
        state = stack.pop()
        if all(state[0][t] == len(steps[t]) for t in range(n)):
            words = [number(state[1][address(variable):][:WORD]) for variable in VARIABLES]
            found.add(" ".join(str(value) for values in (*state[3], words) for value in values))
        for t in range(n):
            for after in successors(state, t, steps, buffer):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
    return found


def last_of(stores, at):
    """The last of these stores to this word; None: there is none."""
    return next((store for store in reversed(stores) if store[0] == at), None)


def moves(state, steps, t):
    """
    What thread t may do next: a state has positions, buffers, the order in which stores have reached memory (a lock's taking is one), who has
    read whose, and as above what was read and who holds the mutex. A store: its address, who it is, its value.
    """
    at, buffers, order, read, kept, last, holder = state
    waiting = buffers[t]
    if waiting:
        yield at, put(buffers, t, waiting[1:]), order + (waiting[0],), read, kept, last, holder
    if at[t] == len(steps[t]):
        return
    kind, *rest = steps[t][at[t]]
    me, on = (t, at[t]), put(at, t, at[t] + 1)
    if kind == "unless":
        yield on if kept[t][rest[0]] == rest[1] else put(at, t, at[t] + 1 + rest[2]), buffers, order, read, kept, last, holder
    elif kind == "read":
        found = last_of(order + waiting, rest[0])
        value = found[2] if found else 0
        yield (on, buffers, order, read + ((me, found and found[1]),), put(kept, t, kept[t] + (value,)) if rest[2] else kept,
               put(last, t, value), holder)
    elif kind in ("store", "more"):
        store = (rest[0], me, rest[2] + (last[t] if kind == "more" else 0))
        if len(waiting) < BUFFER:
            yield on, put(buffers, t, waiting + (store,)), order, read, kept, last, holder
    elif not waiting and kind in ("xchg", "plus"):
        found = last_of(order, rest[0])
        value = found[2] if found else 0
        store = (rest[0], me, rest[2] + (value if kind == "plus" else 0))
        yield on, buffers, order + (store,), read + ((me, found and found[1]),), put(kept, t, kept[t] + (value,)) if kind == "xchg" else kept, last, holder
    elif not waiting and not (kind == "lock" and holder is not None):
        yield (on, buffers, order + (("mutex", me, 0),) * (kind == "lock"), read, kept, last,
               {"lock": t, "unlock": None}.get(kind, holder))


def without_buffers(steps):
    """Each store is waited for. A jump goes over what has been added, too."""
    fenced = []
    for i, step in enumerate(steps):
        if step[0] == "unless":
            step = (*step[:3], step[3] + sum(each[0] in ("store", "more") for each in steps[i + 1:][:step[3]]))
        fenced += [step, ("fence",)] if step[0] in ("store", "more") else [step]
    return fenced


def traces(threads, buffers=True):
    """
    How many differ in which store each load reads, or in the order of the stores to some variable; None: that isn't told, as there are accesses
    to parts of words, which fmc doesn't tell apart.
    """
    steps = [steps_of(thread) + [("fence",)] for thread in threads]
    if not buffers:
        steps = [without_buffers(own) for own in steps]
    if any(step[0] in ("read", "store", "more") and step[2] != WORD for own in steps for step in own):
        return None
    n = len(steps)
    start = ((0,) * n, ((),) * n, (), (), ((),) * n, (0,) * n, None)
    found, seen, stack = set(), {start}, [start]
    while stack:
        state = stack.pop()
        if all(state[0][t] == len(steps[t]) for t in range(n)):
            stores = {store[0] for store in state[2]}
            orders = {each: tuple(store[1] for store in state[2] if store[0] == each) for each in stores}
            found.add((tuple(sorted(orders.items(), key=str)), frozenset(state[3])))
        for t in range(n):
            for after in moves(state, steps, t):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
    return len(found)


def source(threads):
    each = range(len(threads))
    body = "\n".join(f"static void *t{t}(void *unused)\n{{\n{code(t, threads[t])}\treturn unused;\n}}\n" for t in each)
    owned = "".join(f"static volatile int own{t};\n" for t in each)
    order = [f"seen[{t}][{i}]" for t in each for i in range(sum(is_get(item) for item in threads[t]))] + list(VARIABLES)
    return f"""#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int {", ".join(VARIABLES)};
static int seen[{len(threads)}][4];
static __thread volatile int apart;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
{owned}
{body}
int main(void)
{{
	pthread_t threads[{len(threads)}];
	(void)mutex;
{"".join(f"	(void)own{t};{chr(10)}" for t in each)}{"".join(f"	pthread_create(&threads[{t}], NULL, t{t}, NULL);{chr(10)}" for t in each)}\
{"".join(f"	pthread_join(threads[{t}], NULL);{chr(10)}" for t in each)}	printf("{" ".join("%d" for _ in order)}\\n", {", ".join(order)});
	return 0;
}}
"""


def compare(result, expected, model):
    with open(expected) as lines:
        wanted = {text.rstrip("\n").split(" ", 1)[1] for text in lines if model == "tso" or text.startswith("sc ")}
    with open(result) as text:
        told = json.load(text)
    found = {outcome["output"].strip() for outcome in told["outcomes"]}
    if len({outcome["schedule"] for outcome in told["outcomes"]}) < len(found):
        print("two outcomes have one schedule")
        return False
    right = not found - wanted and (not told["complete"] or found == wanted and told["watched"]) and told["memory_model"] == model
    if not right:
        print(f"complete: {told['complete']}, watched: {told['watched']}, {told['memory_model']}; too many: {sorted(found - wanted)}, missing: {sorted(wanted - found)}")
    return right


def main():
    if sys.argv[1] == "compare":
        sys.exit(not compare(*sys.argv[2:5]))
    if sys.argv[1] == "litmus":
        print(*LITMUS)
        return
    name, folder = sys.argv[1], sys.argv[2]
    threads = [parse(text) for text in LITMUS[name]] if name in LITMUS else at_random(int(name))
    with open(f"{folder}/{name}.c", "w") as file:
        file.write(source(threads))
    can, sc = outcomes(threads, BUFFER), outcomes(threads, 0)
    assert sc <= can
    with open(f"{folder}/{name}.expected", "w") as file:
        for outcome in sorted(can):
            print("sc" if outcome in sc else "tso", outcome, file=file)
    number_of_traces = traces(threads, False), traces(threads)
    assert name not in NIDHUGG or number_of_traces == NIDHUGG[name]
    with open(f"{folder}/{name}.traces", "w") as file:
        if None not in number_of_traces:
            print(*number_of_traces, file=file)


main()
