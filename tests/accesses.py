#!/usr/bin/env python3
"""Programs of plain and atomic accesses to few words, with what threads synchronise by among them, and what they can come to.

    accesses.py write FOLDER NAME...      writes FOLDER/NAME.c, which prints what its threads have read and what its variables come to
    accesses.py compare FOLDER NAME,HOW...  compares what `fmc check --outcomes --json FOLDER/NAME,HOW.said` says of it with what running
                                          every order of the accesses comes to: outcomes, and the lines whose accesses race; a line each

NAME is that of a program below, or a number: one made at random. An access that x86 doesn't promise to make at once is made in parts: over eight bytes in words, over the end of a cache line up to there.
"""
import json
import random
import sys

# name: offset in memory, bytes, how C calls it
VARIABLES = {"x": (0, 4, "x"), "y": (4, 4, "y"), "z": (8, 4, "(*z)"), "h": (12, 4, "(*h)"), "q": (16, 8, "q"), "v": (24, 16, "v"),
             "u": (40, 4, "line.u"), "f": (44, 4, "f")}
BYTES = 48
# What threads synchronise by: mutex (who holds it, 0: nobody), rwlock (-1: written, else readers), semaphore, once (0, 1 running, 2 over),
# who waits for the condition, as bits.
MUTEX, RWLOCK, SEMAPHORE, ONCE, WAITERS = range(5)
WORDS = ("x", "y", "z", "h")
UNLOCKED = {"q1": 1, "q2": 2, "q4": 4, "q8": 8}
SUFFIX = {1: "b", 2: "w", 4: "l", 8: "q"}
CTYPE = {1: "char", 2: "short", 4: "int", 8: "long"}
PRINTED = [("x", 4), ("y", 4), ("z", 4), ("h", 4), ("q", 8), ("v", 16), ("u", 4)]


class State:
    """One that steps change: memory, what is held, registers of each thread (two to compute with, then what it has noted)."""

    def __init__(self, key):
        self.at, memory, self.sync, self.registers = key
        self.at, self.memory = list(self.at), bytearray(memory)
        self.sync, self.registers = list(self.sync), [list(own) for own in self.registers]

    def key(self):
        return tuple(self.at), bytes(self.memory), tuple(self.sync), tuple(map(tuple, self.registers))

    def get(self, at, size):
        return int.from_bytes(self.memory[at:at + size], "little")

    def put(self, at, size, value):
        self.memory[at:at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")


class Step:
    """run(state, thread): how far on the thread goes, None if it can't now. touches: (offset, bytes, whether it writes)."""

    def __init__(self, run, touches=(), atomic=False):
        self.run, self.touches, self.atomic, self.line = run, touches, atomic, 0


def parts_of(at, size, name):
    if name == "v":
        return [(at, 8), (at + 8, 8)]
    return [(at, 2), (at + 2, 2)] if name == "u" else [(at, size)]


def place(name):
    at, size, text = VARIABLES["q" if name in UNLOCKED else name]
    return at, UNLOCKED.get(name, size), text


class Thread:
    def __init__(self, number):
        self.number, self.steps, self.lines, self.noted, self.labels = number, [], [], 0, 0

    def emit(self, code, *steps):
        self.lines.append(code)
        for step in steps:
            step.line = len(self.lines)
        self.steps += steps

    def note(self, *expressions):
        for expression in expressions:
            self.lines.append(f"seen[{self.number}][{self.noted}] = {expression};")
            self.noted += 1

    def step(self, run, touches=(), atomic=False):
        return Step(run, touches, atomic)

    def read(self, name, register):
        """Into one of the two registers, part by part."""
        at, size, _ = place(name)
        whole = parts_of(at, size, name)
        steps = []
        for i, (low, bytes_) in enumerate(whole):
            def run(state, t, low=low, bytes_=bytes_, shift=8 * (low - at), first=i == 0):
                own = state.registers[t]
                own[register] = (0 if first else own[register]) | state.get(low, bytes_) << shift
                return 1
            steps.append(self.step(run, ((low, bytes_, False),)))
        return steps

    def write(self, name, value):
        """value(registers)"""
        at, size, _ = place(name)
        steps = []
        for low, bytes_ in parts_of(at, size, name):
            def run(state, t, low=low, bytes_=bytes_, shift=8 * (low - at)):
                state.put(low, bytes_, value(state.registers[t]) >> shift)
                return 1
            steps.append(self.step(run, ((low, bytes_, True),)))
        return steps

    def keep(self, value):
        """In the last step, what it has computed is noted."""
        run = self.steps[-1].run

        def both(state, t):
            on = run(state, t)
            if on is not None:
                state.registers[t] += value(state.registers[t])
            return on
        self.steps[-1].run = both

    def change(self, name, change):
        """change(old, registers) gives the new value and what is noted."""
        at, size, _ = place(name)

        def run(state, t):
            value, noted = change(state.get(at, size), state.registers[t])
            state.put(at, size, value)
            state.registers[t] += noted
            return 1
        return self.step(run, ((at, size, True),), True)


def signed(value, size):
    return value - (1 << 8 * size) if value >> 8 * size - 1 else value


def asm(text, operands):
    return f'__asm__ volatile("{text}" : {operands} : "cc", "memory");'


def do_set(thread, name, n):
    at, size, text = place(name)
    if name == "u":
        n *= 0x10001  # something in both of its parts
    if name == "v":
        thread.emit(f'{{ const pair two = {{{n}, {n + 1}}}; __asm__ volatile("movups %1, %0" : "=m"(v) : "x"(two)); }}',
                    *thread.write(name, lambda own: n | (n + 1) << 64))
    elif name in UNLOCKED:
        thread.emit(f"*(volatile {CTYPE[size]} *)&q = {n};", *thread.write(name, lambda own: n))
    else:
        thread.emit(f"{text} = {n};", *thread.write(name, lambda own: n))


def do_get(thread, name):
    at, size, text = place(name)
    if name == "v":
        thread.lines.append("{ pair two;")
        thread.emit('__asm__ volatile("movups %1, %0" : "=x"(two) : "m"(v));', *thread.read(name, 0))
        thread.keep(lambda own: [own[0] & (1 << 64) - 1, own[0] >> 64])
        thread.note("two[0]", "two[1]")
        thread.lines.append("}")
        return
    source = f"*(volatile {CTYPE[size]} *)&q" if name in UNLOCKED else text
    thread.emit(f"{{ long got = {source};", *thread.read(name, 0))
    thread.keep(lambda own: [signed(own[0], size)])
    thread.note("got")
    thread.lines.append("}")


def do_copy(thread, name, other, n):
    thread.emit(f"{place(name)[2]} = {place(other)[2]} + {n};", *thread.read(other, 0), *thread.write(name, lambda own: own[0] + n))


def do_swap(thread, name, other):
    one, two = place(name)[2], place(other)[2]
    thread.emit(f"{{ int old = {one}; {one} = {two}; {two} = old; }}", *thread.read(name, 0), *thread.read(other, 1),
                *thread.write(name, lambda own: own[1]), *thread.write(other, lambda own: own[0]))


PLAIN = {"add": ("add", "$1, %0", lambda n: n + 1), "inc": ("inc", "%0", lambda n: n + 1), "dec": ("dec", "%0", lambda n: n - 1),
         "not": ("not", "%0", lambda n: ~n), "shl": ("shl", "$1, %0", lambda n: n << 1), "xor": ("xor", "$5, %0", lambda n: n ^ 5),
         "or": ("or", "$2, %0", lambda n: n | 2), "adc": ("sbb", "$-1, %0", None)}


def operand(name):
    _, size, text = place(name)
    return f"*(volatile {CTYPE[size]} *)&q" if name in UNLOCKED else text


def do_plain(thread, name, what):
    """Reads and writes without LOCK: two accesses."""
    _, size, _ = place(name)
    word, rest, make = PLAIN[what]
    if what == "adc":
        text, make = f"clc; sbb{SUFFIX[size]} {rest}", lambda n: n + 1
    else:
        text = f"{word}{SUFFIX[size]} {rest}"
    thread.emit(asm(text, f'"+m"({operand(name)}) :'), *thread.read(name, 0), *thread.write(name, lambda own: make(own[0])))


def do_xadd(thread, name, n):
    """Without LOCK."""
    _, size, _ = place(name)
    thread.emit(f"{{ {CTYPE[size]} old = {n}; " + asm(f"xadd{SUFFIX[size]} %1, %0", f'"+m"({operand(name)}), "+r"(old) :'),
                *thread.read(name, 0), *thread.write(name, lambda own: own[0] + n))
    thread.keep(lambda own: [signed(own[0], size)])
    thread.note("old")
    thread.lines.append("}")


def do_cmpxchg(thread, name, a, b):
    """Without LOCK: it writes in any case, what it has read where that is something else."""
    _, size, _ = place(name)
    text = f"cmpxchg{SUFFIX[size]} %2, %0"
    thread.emit(f"{{ {CTYPE[size]} old = {a}; " + f'__asm__ volatile("{text}" : "+m"({operand(name)}), "+a"(old) : "r"(({CTYPE[size]}){b}) : "cc", "memory");',
                *thread.read(name, 0), *thread.write(name, lambda own: b if own[0] == a else own[0]))
    thread.keep(lambda own: [signed(own[0], size)])
    thread.note("old")
    thread.lines.append("}")


def do_locked_add(thread, name, n):
    _, size, _ = place(name)
    thread.emit(asm(f"lock; add{SUFFIX[size]} ${n}, %0", f'"+m"({operand(name)}) :'), thread.change(name, lambda old, own: (old + n, [])))


def do_exchange(thread, name, n):
    _, size, _ = place(name)
    thread.emit(f"{{ {CTYPE[size]} old = {n}; " + asm(f"xchg{SUFFIX[size]} %1, %0", f'"+m"({operand(name)}), "+r"(old) :'),
                thread.change(name, lambda old, own: (n, [signed(old, size)])))
    thread.note("old")
    thread.lines.append("}")


def do_cas_loop(thread, name, n):
    """Until nobody came between."""
    text = place(name)[2]
    at, size, _ = place(name)

    def again(state, t):
        own = state.registers[t]
        old = state.get(at, size)
        if old == own[0]:
            state.put(at, size, old + n)
            return 1
        own[0] = old
        return 0
    thread.lines.append("{")
    thread.emit(f"int old = {text};", *thread.read(name, 0))
    thread.emit(f"while (!__atomic_compare_exchange_n(&{text}, &old, old + {n}, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));",
                Step(again, ((at, size, True),), True))
    thread.lines.append("}")


def until_steps(thread, name, n, most=None):
    at, size, _ = place(name)

    def run(state, t):
        own = state.registers[t]
        if state.get(at, size) == n:
            return 1
        own[0] += 1
        if most is None:
            own[0] = 0
        return 1 if own[0] == most else 0
    return Step(run, ((at, size, False),))


def zero(state, t):
    state.registers[t][0] = 0
    return 1


def do_until(thread, name, n, how):
    text = place(name)[2]
    thread.steps.append(Step(zero))
    steps = until_steps(thread, name, n)
    if how == "plain":
        thread.emit(f"while ({text} != {n});", steps)
    elif how == "pause":
        thread.emit(f'while ({text} != {n}) __asm__ volatile("pause");', steps)
    elif how == "count":
        thread.emit(f"{{ int i = 0; while ({text} != {n}) i++; own{thread.number} = i; }}", steps)
    else:
        thread.emit(f'{{ int i = 1; while ({text} != {n}) {{ for (int k = 0; k < i; k++) __asm__ volatile("pause"); i = i < 8 ? 2 * i : i; }} }}', steps)


def do_tries(thread, name, n):
    """Twice at most, and how often in vain."""
    text = place(name)[2]
    thread.steps.append(Step(zero))
    thread.lines.append("{ int i = 0;")
    thread.emit(f"while (i < 2 && {text} != {n}) i++;", until_steps(thread, name, n, 2))
    thread.steps.append(Step(lambda state, t: 1))
    thread.keep(lambda own: [own[0]])
    thread.note("i")
    thread.lines.append("}")


def take(index, free, taken):
    def run(state, t):
        if not free(state.sync[index]):
            return None
        state.sync[index] = taken(state.sync[index], t)
        return 1
    return run


def change_sync(index, change):
    def run(state, t):
        state.sync[index] = change(state.sync[index])
        return 1
    return run


def do_locked(thread, items):
    thread.emit("pthread_mutex_lock(&mutex);", Step(take(MUTEX, lambda holder: holder == 0, lambda _, t: t + 1)))
    run_all(thread, items)
    thread.emit("pthread_mutex_unlock(&mutex);", Step(change_sync(MUTEX, lambda _: 0)))


def do_tried(thread, items):
    step = Step(None)
    thread.emit("if (pthread_mutex_trylock(&mutex) == 0) {", step)
    before = len(thread.steps)
    run_all(thread, items)
    thread.emit("pthread_mutex_unlock(&mutex); }", Step(change_sync(MUTEX, lambda _: 0)))
    over = len(thread.steps) - before + 1

    def run(state, t):
        if state.sync[MUTEX]:
            return over
        state.sync[MUTEX] = t + 1
        return 1
    step.run = run
    # What is noted has its place in any case.
    assert not any(item[0] in NOTING for item in items)


def do_reading(thread, items):
    thread.emit("pthread_rwlock_rdlock(&rwlock);", Step(take(RWLOCK, lambda n: n >= 0, lambda n, _: n + 1)))
    run_all(thread, items)
    thread.emit("pthread_rwlock_unlock(&rwlock);", Step(change_sync(RWLOCK, lambda n: n - 1)))


def do_writing(thread, items):
    thread.emit("pthread_rwlock_wrlock(&rwlock);", Step(take(RWLOCK, lambda n: n == 0, lambda n, _: -1)))
    run_all(thread, items)
    thread.emit("pthread_rwlock_unlock(&rwlock);", Step(change_sync(RWLOCK, lambda n: 0)))


def do_post(thread):
    thread.emit("sem_post(&semaphore);", Step(change_sync(SEMAPHORE, lambda n: n + 1)))


def do_wait(thread):
    thread.emit("sem_wait(&semaphore);", Step(take(SEMAPHORE, lambda n: n > 0, lambda n, _: n - 1)))


def do_once(thread):
    """Sets y to 6."""
    at, size, _ = VARIABLES["y"]

    def begin(state, t):
        if state.sync[ONCE] == 1:
            return None
        first = state.sync[ONCE] == 0
        state.sync[ONCE] = max(1, state.sync[ONCE])
        return 1 if first else 3
    inside = Step(None, ((at, size, True),))
    inside.run = lambda state, t: state.put(at, size, 6) or 1
    thread.emit("pthread_once(&once, initialise);", Step(begin), inside, Step(change_sync(ONCE, lambda _: 2)))
    inside.line = "initialise"


def do_signal(thread):
    at, size, _ = VARIABLES["f"]
    inside = Step(lambda state, t: state.put(at, size, 1) or 1, ((at, size, True),))

    def broadcast(state, t):
        state.sync[WAITERS] = 0
        return 1
    thread.emit("pthread_mutex_lock(&mutex);", Step(take(MUTEX, lambda holder: holder == 0, lambda _, t: t + 1)))
    thread.emit("f = 1;", inside)
    thread.emit("pthread_cond_broadcast(&condition);", Step(broadcast))
    thread.emit("pthread_mutex_unlock(&mutex);", Step(change_sync(MUTEX, lambda _: 0)))


def do_await(thread):
    at, size, _ = VARIABLES["f"]
    look = Step(lambda state, t: 3 if state.get(at, size) else 1, ((at, size, False),))

    def sleep(state, t):
        state.sync[WAITERS] |= 1 << t
        state.sync[MUTEX] = 0
        return 1

    def wake(state, t):
        if state.sync[WAITERS] >> t & 1 or state.sync[MUTEX]:
            return None
        state.sync[MUTEX] = t + 1
        return -2
    thread.emit("pthread_mutex_lock(&mutex);", Step(take(MUTEX, lambda holder: holder == 0, lambda _, t: t + 1)))
    thread.emit("while (!f)", look)
    thread.emit("pthread_cond_wait(&condition, &mutex);", Step(sleep), Step(wake))
    thread.emit("pthread_mutex_unlock(&mutex);", Step(change_sync(MUTEX, lambda _: 0)))


def do_raise(thread):
    """The handler counts in x, by a load and a store."""
    thread.emit("raise(SIGUSR1);", *thread.read("x", 0), *thread.write("x", lambda own: own[0] + 1))
    for step in thread.steps[-2:]:
        step.line = "handle"


def do_heap(thread, name, n):
    """Memory of its own, that others may have had before."""
    thread.emit(f"{{ volatile int *own = malloc(24); *own = {n}; {place(name)[2]} = *own + 1; free((void *)own); }}", *thread.write(name, lambda own: n + 1))


ACTIONS = {"set": do_set, "get": do_get, "copy": do_copy, "swap": do_swap, "plain": do_plain, "xadd": do_xadd, "cmpxchg": do_cmpxchg,
           "lockadd": do_locked_add, "xchg": do_exchange, "cas": do_cas_loop, "until": do_until, "tries": do_tries, "locked": do_locked,
           "tried": do_tried, "reading": do_reading, "writing": do_writing, "post": do_post, "wait": do_wait, "once": do_once,
           "signal": do_signal, "await": do_await, "raise": do_raise, "heap": do_heap}
NOTING = ("get", "xadd", "cmpxchg", "xchg", "tries")


def run_all(thread, items):
    for kind, *arguments in items:
        ACTIONS[kind](thread, *arguments)


class Choice:
    """Statements of a program whose threads share few variables."""

    def __init__(self, rng):
        self.rng = rng
        self.words = rng.sample(WORDS, rng.choice((1, 2, 2)))
        self.others = rng.sample([*sorted(UNLOCKED), "v", "u"], rng.choice((0, 1, 1, 2)))

    def word(self):
        return self.rng.choice(self.words)

    def simple(self):
        """An access or two."""
        rng = self.rng
        kind = rng.choice(["set"] * 3 + ["get"] * 3 + ["plain"] * 4 + ["copy"] * 2 + ["swap", "heap"])
        if kind in ("copy", "swap"):
            one, two = rng.choice(self.words), rng.choice(WORDS)
            if one == two:
                return "get", one
            return (kind, one, two, rng.randint(0, 2)) if kind == "copy" else (kind, one, two)
        if kind == "heap":
            return kind, self.word(), rng.randint(1, 3)
        name = rng.choice(self.others) if self.others and rng.random() < 0.5 else self.word()
        if kind == "set":
            return kind, name, rng.randint(1, 3)
        if kind == "get":
            return kind, name
        return kind, self.word() if name == "v" else name, rng.choice(sorted(PLAIN))

    def statement(self):
        rng = self.rng
        kind = rng.choice(["simple"] * 10 + ["xadd", "cmpxchg", "lockadd", "xchg", "cas", "until", "tries", "once", "raise"] +
                          ["locked"] * 3 + ["tried", "reading", "writing"])
        if kind == "simple":
            return self.simple()
        parts = [name for name in self.others if name in UNLOCKED]
        name = rng.choice(parts) if parts and rng.random() < 0.4 else self.word()
        if kind in ("xadd", "lockadd", "xchg"):
            return kind, name, rng.randint(1, 3)
        if kind == "cmpxchg":
            return kind, name, rng.randint(0, 1), rng.randint(2, 3)
        if kind in ("cas", "tries"):
            return kind, self.word(), rng.randint(1, 2)
        if kind == "until":
            return kind, self.word(), rng.randint(0, 2), rng.choice(("plain", "pause", "count", "doubling"))
        if kind in ("once", "raise"):
            return (kind,)
        items = [self.simple() for _ in range(rng.randint(1, 2))]
        if kind == "tried":
            items = [item for item in items if item[0] not in NOTING] or [("set", self.word(), 4)]
        return kind, items


def build(plan):
    threads = [Thread(t) for t in range(len(plan))]
    for thread, items in zip(threads, plan):
        run_all(thread, items)
    return threads


MOST_STATES = 30000


def explore(threads):
    """All outcomes, the pairs of steps that race; None if some order comes to no end, or there are too many."""
    n = len(threads)
    steps = [thread.steps for thread in threads]
    start = ((0,) * n, bytes(BYTES), (0, 0, 0, 0, 0), ((0, 0),) * n)
    before, ends, stack, races = {start: []}, [], [start], set()
    while stack:
        if len(before) > MOST_STATES:
            return None
        key = stack.pop()
        ready = []
        for t in range(n):
            at = key[0][t]
            if at == len(steps[t]):
                continue
            state = State(key)
            on = steps[t][at].run(state, t)
            if on is None:
                continue
            ready.append((t, steps[t][at]))
            state.at[t] += on
            after = state.key()
            if after not in before:
                before[after] = []
                stack.append(after)
            before[after].append(key)
        if all(key[0][t] == len(steps[t]) for t in range(n)):
            ends.append(key)
        for i, (_, a) in enumerate(ready):
            for _, b in ready[:i]:
                if any(p[0] < q[0] + q[1] and q[0] < p[0] + p[1] and (p[2] or q[2]) for p in a.touches for q in b.touches):
                    races.add((a, b))
    good, stack = set(ends), list(ends)
    while stack:
        for key in before[stack.pop()]:
            if key not in good:
                good.add(key)
                stack.append(key)
    if len(good) < len(before):
        return None
    return {flat(key, threads) for key in ends}, races


def flat(key, threads):
    _, memory, _, registers = key
    values = []
    for thread, own in zip(threads, registers):
        assert len(own) - 2 == thread.noted, (own, thread.noted)
        values += own[2:]
    for name, size in PRINTED:
        at = VARIABLES[name][0]
        for low in range(at, at + size, 8):
            width = min(8, size)
            values.append(signed(int.from_bytes(memory[low:low + width], "little"), width))
    return " ".join(map(str, values))


PROGRAMS = {
    "vector": [[("set", "v", 1), ("set", "x", 1)], [("get", "x"), ("get", "v")]],
    "line": [[("plain", "u", "not")], [("set", "u", 1), ("get", "u")]],
    "update": [[("xadd", "y", 2)], [("cas", "y", 1)]],
    "once": [[("once",)], [("copy", "y", "x", 0)]],
    "bytes": [[("plain", "q1", "add")], [("plain", "q2", "shl"), ("get", "q8")]],
}


def plan_for(name):
    if name in PROGRAMS:
        threads = build(PROGRAMS[name])
        return PROGRAMS[name], threads, explore(threads)
    rng = random.Random(int(name))
    while True:
        choice = Choice(rng)
        count = 2 if rng.random() < 0.8 else 3
        plan = [[choice.statement() for _ in range(rng.randint(1, 4 if count == 2 else 2))] for _ in range(count)]
        extra = rng.random()
        if extra < 0.12:
            plan[0].insert(rng.randint(0, len(plan[0])), ("signal",))
            plan[1].insert(rng.randint(0, len(plan[1])), ("await",))
        elif extra < 0.24:
            plan[0].insert(rng.randint(0, len(plan[0])), ("post",))
            plan[1].insert(rng.randint(0, len(plan[1])), ("wait",))
        threads = build(plan)
        if sum(len(thread.steps) for thread in threads) > (14 if count == 2 else 9):
            continue
        found = explore(threads)
        # Few programs in which nothing depends on the order.
        if found and (len(found[0]) > 1 or rng.random() < 0.05):
            return plan, threads, found


HEADER = """#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
typedef long pair __attribute__((vector_size(16)));
static volatile int x, y, f;
static volatile long q;
static volatile int *h;
static volatile pair v;
static struct { char ahead[62]; volatile int u; } __attribute__((packed, aligned(64))) line;
static long seen[3][16];
static volatile int own0, own1, own2;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static void initialise(void) { y = 6; }
static void handle(int signal) { (void)signal; x = x + 1; }
"""
INITIALISE_LINE, HANDLE_LINE = HEADER.count("\n") - 1, HEADER.count("\n")


def source_of(threads):
    """The program, and of each thread the line before its first one."""
    text, first = HEADER, []
    for thread in threads:
        text += f"static void *t{thread.number}(void *argument)\n{{\n\tvolatile int *const z = argument;\n\t(void)z;\n"
        first.append(text.count("\n"))
        text += "".join(f"\t{line}\n" for line in thread.lines) + "\treturn NULL;\n}\n"
    each = range(len(threads))
    text += "int main(void)\n{\n\tvolatile int local = 0;\n\tpthread_t threads[3];\n"
    text += "\t(void)own0, (void)own1, (void)own2, (void)f, (void)mutex, (void)rwlock, (void)condition, (void)once, (void)initialise;\n"
    text += "\tsignal(SIGUSR1, handle);\n\tsem_init(&semaphore, 0, 0);\n\th = calloc(1, sizeof *h);\n"
    text += "".join(f"\tpthread_create(&threads[{t}], NULL, t{t}, (void *)&local);\n" for t in each)
    text += "".join(f"\tpthread_join(threads[{t}], NULL);\n" for t in each)
    values = [f"seen[{thread.number}][{i}]" for thread in threads for i in range(thread.noted)]
    values += ["(long)x", "(long)y", "(long)local", "(long)*h", "q", "v[0]", "v[1]", "(long)line.u"]
    text += f'\tprintf("{" ".join(["%ld"] * len(values))}\\n", {", ".join(values)});\n\tfree((void *)h);\n\treturn 0;\n}}\n'
    return text, first


def racy_lines(threads, first, races, all_of_them):
    """Of plain accesses; where an atomic one touches the same bytes that may make them operations anyway."""
    atomic = {low for thread in threads for step in thread.steps if step.atomic for low, _, _ in step.touches}
    owner = {step: thread.number for thread in threads for step in thread.steps}
    named = {"initialise": INITIALISE_LINE, "handle": HANDLE_LINE}
    lines = set()
    for pair in races:
        for step in pair:
            if not step.atomic and (all_of_them or not any(low in atomic for low, _, _ in step.touches)):
                lines.add(named[step.line] if step.line in named else first[owner[step]] + step.line)
    return sorted(lines)


def compare(folder, name, path):
    with open(f"{folder}/{name}.json") as file:
        expected = json.load(file)
    with open(path) as file:
        said = json.load(file)
    outcomes, racy, all_racy = (set(expected[name]) for name in ("outcomes", "racy", "all_racy"))
    found = {(outcome["output"] or "").strip() for outcome in said["outcomes"] if outcome["exit_status"] == 0}
    ends = sorted({outcome["end"] for outcome in said["outcomes"] if outcome["exit_status"] != 0})
    lines = {int(at.rsplit(":", 1)[1]) for access in said["switched_at"] for at in access["places"] if at.startswith(f"{name}.c:")}
    wrong = []
    if ends:
        wrong.append(f"ends of no order: {ends}")
    if found - outcomes:
        wrong.append(f"outcomes of no order: {sorted(found - outcomes)}")
    if said["complete"] and outcomes - found:
        wrong.append(f"complete{', watched' if said['watched'] else ''}, and outcomes are missing: {sorted(outcomes - found)}")
    if said["complete"] and said["granularity"] == "race" and not racy <= lines:
        wrong.append(f"racing lines that aren't switched at: {sorted(racy - lines)}")
    if said["granularity"] == "race" and expected["straight"] and not lines <= all_racy:
        wrong.append(f"lines that don't race are switched at: {sorted(lines - all_racy)}")
    if not said["complete"] and not wrong:
        wrong.append(f"not complete: {said['incomplete_because']}")
    if wrong:
        return False, "; ".join(wrong)
    watched = "watched" if said["watched"] else f"not watched: {said['memory']['not_watched']}"
    return True, f"{len(found)} outcomes, {said['executions']} executions, {watched}"


# Threads that go another way for what they read: what races differs with that.
BRANCHING = ("cas", "until", "tries", "tried", "once")


def write(folder, name):
    plan, threads, (outcomes, races) = plan_for(name)
    source, first = source_of(threads)
    with open(f"{folder}/{name}.c", "w") as file:
        file.write(source)
    straight = not any(item[0] in BRANCHING for items in plan for item in items)
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump({"outcomes": sorted(outcomes), "racy": racy_lines(threads, first, races, False),
                   "all_racy": racy_lines(threads, first, races, True), "straight": straight}, file)


def main():
    what, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    for name in names:
        if what == "write":
            write(folder, name)
            continue
        program, *how = name.split(",")
        path = f"{folder}/{name}.said"
        try:
            right, text = compare(folder, program, path)
        except (OSError, ValueError):
            right, text = False, "no result that can be read"
        print("ok" if right else "FAIL", f"program {program}, {' '.join(how)}: {text}")


main()
