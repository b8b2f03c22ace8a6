#!/usr/bin/env python3
"""Which room uses which: rooms.py check|draw|drawn BUILD ROOM...

The rooms are given in their order: each may use those before it, never those after it. What a room uses is measured from the symbols
of its objects and the headers that its files include. `check` prints what goes against the order and ends with 1 if anything does, as
also if files of a room call each other in a circle that tests/circles doesn't name; `draw` prints a graph for Graphviz, without the arrows that follow from others; `drawn` does as `check`, of what the drawing in
man/rooms.svg has too much or too little.
"""
import collections
import glob
import html
import os
import re
import subprocess
import sys

DRAWING = "man/rooms.svg"
CIRCLES = os.environ.get("CIRCLES", "tests/circles")


def symbols(build, sources):
    """Of each source, the names that its object defines, and those that it needs. One call of nm is much quicker than hundreds."""
    found = {f"{build}/{source[:-2]}.o": (source, set(), set()) for source in sources}
    out = subprocess.run(["nm", "-A", *found], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        words = line.split()
        _, defined, needed = found[words[0].partition(":")[0]]
        if words[-2] in ("T", "D", "B", "R", "V", "W"):
            defined.add(words[-1])
        elif words[-2].endswith("U"):
            needed.add(words[-1])
    return found.values()


def layer_of(room):
    return room.rpartition("/")[0]


def uses_by_symbols(build, rooms):
    home, needs = {}, {}
    for source, defined, needed in symbols(build, [source for room in rooms for source in glob.glob(f"{room}/*.c")]):
        needs[source] = needed
        for name in defined:
            home[name] = source
    for source, names in needs.items():
        for name in names:
            if name in home:
                yield source, home[name], f"{name}()"


def uses_by_headers(rooms):
    for room in rooms:
        for file in glob.glob(f"{room}/*.[ch]"):
            with open(file, encoding="utf-8") as text:
                for header in re.findall(r'^#include "(.*)"', text.read(), re.M):
                    yield file, header, "its header"


def check(uses, rooms):
    order = {room: i for i, room in enumerate(rooms)}
    bad = []
    for file, used, what in uses:
        user, room = os.path.dirname(file), os.path.dirname(used)
        if room not in order:
            bad.append(f"{file} includes {used}, which is in no room")
        elif order[room] > order[user]:
            bad.append(f"{file} uses {what} of {used}: {user} comes before {room}")
        elif what == "its header" and layer_of(room) != layer_of(user):
            bad.append(f"{file} includes {used}, which is {layer_of(room)}'s own")
    stray = [f for layer in {layer_of(r) for r in rooms} for f in glob.glob(f"{layer}/*.[ch]")]
    bad += [f"{file} is in no room" for file in stray] + check_circles(uses)
    print("\n".join(sorted(set(bad))), end="\n" if bad else "")
    return bool(bad)


def calls(uses):
    """Inside of rooms, which file calls which, and one function for each of these."""
    below = collections.defaultdict(dict)
    for file, used, what in uses:
        if what.endswith("()") and file != used and os.path.dirname(file) == os.path.dirname(used):
            below[file].setdefault(used, what)
    return below


def reached(below, file):
    seen, due = set(), [file]
    while due:
        due += set(below.get(due.pop(), ())) - seen
        seen.update(due)
    return seen


def circles(below):
    """The sets of files each of which calls, by way of others, all of its set."""
    reach = {file: reached(below, file) for file in list(below)}
    found = {frozenset(other for other in reach[file] if file in reach.get(other, ())) for file in reach if file in reach[file]}
    return sorted(found, key=sorted)


def named_circles():
    """A line for each: the room, and the names of its files; what is after a # says why they are one idea."""
    with open(CIRCLES, encoding="utf-8") as text:
        lines = [line.partition("#")[0].split() for line in text]
    return [frozenset(f"{words[0]}/{name}" for name in words[1:]) for words in lines if words]


def check_circles(uses):
    below, named = calls(uses), named_circles()
    found = circles(below)
    bad = []
    for circle in found:
        if circle not in named:
            ways = [f"{a} calls {what} of {b}" for a in sorted(circle) for b, what in sorted(below[a].items()) if b in circle]
            bad.append("files call each other in a circle:\n    " + "\n    ".join(ways))
    bad += [f"{CIRCLES} names a circle that isn't there: {' '.join(sorted(circle))}" for circle in named if circle not in found]
    return bad


def reduced(below):
    """Without the arrows that others imply."""
    reach = {}
    for room in below:  # in their order: what is used has been seen
        reach[room] = set(below[room]).union(*(reach[used] for used in below[room]))
    return {room: [u for u in used if not any(u in reach[o] for o in used if o != u)] for room, used in below.items()}


def arrows(uses, rooms):
    below = {room: set() for room in rooms}
    for file, used, _ in uses:
        user, room = os.path.dirname(file), os.path.dirname(used)
        if room in below and user != room:
            below[user].add(room)
    return [(room, other) for room, used in reduced(below).items() for other in sorted(used)]


def draw(uses, rooms):
    print("digraph rooms {\n newrank=true; node [shape=box fontname=Helvetica height=0.3]; edge [color=gray40 arrowsize=0.6];")
    layers = collections.defaultdict(list)
    for room in rooms:
        layers[layer_of(room)].append(room)
    for layer, inside in layers.items():
        print(f' subgraph "cluster {layer}" {{ label="{layer}/"; labeljust=l; fontname=Helvetica; color=gray70;')
        for room in inside:
            print(f'  "{room}" [label="{os.path.basename(room)}"];')
        print(" }")
    for room, other in arrows(uses, rooms):
        print(f' "{room}" -> "{other}";')
    print("}")


def drawn(uses, rooms):
    """Graphviz gives each room and each arrow a title; where it puts them depends on its version."""
    with open(DRAWING, encoding="utf-8") as text:
        titles = {html.unescape(title) for title in re.findall(r"<title>(.*)</title>", text.read())}
    there = {title for title in titles if "/" in title and not title.startswith("cluster ")}
    wanted = set(rooms) | {f"{room}->{other}" for room, other in arrows(uses, rooms)}
    bad = [f"{DRAWING} lacks {what}" for what in wanted - there] + [f"{DRAWING} has {what}" for what in there - wanted]
    print("\n".join(sorted(bad)), end="\n`make graph` draws it anew\n" if bad else "")
    return bool(bad)


def main():
    verb, build, *rooms = sys.argv[1:]
    uses = list(uses_by_symbols(build, rooms)) + list(uses_by_headers(rooms))
    if verb == "draw":
        draw(uses, rooms)
    else:
        sys.exit({"check": check, "drawn": drawn}[verb](uses, rooms))


main()
