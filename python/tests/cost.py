"""What Python costs over the command alone: python3 tests/cost.py [EDGES [ROUNDS [KIND]]], in python/.

Both import the same edges, between a million vertices, and rank these: the command from a file that it
reads fastest, Python from arrays. They run in turn; the medians are compared, of time and of the processors'
time. Ids are numbers from 0 on, integers of 64 bits, or strings: the same objects again and again, as columns have
them that were made of names, or an object each, as in a file that was read. It needs no test framework.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from garaph import Graph, _arrow, _binary, _edges

VERTICES = 1 << 20

KINDS = {"dense": "numbers from 0 on", "wide": "integers of 64 bits", "strings": "strings, the same objects again", "own": "strings, an object each"}


def measured(work):
    """Return seconds, and seconds of processors, of this process and of others."""
    before = [time.perf_counter(), *(cpu(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))]
    work()
    after = [time.perf_counter(), *(cpu(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))]
    return [b - a for a, b in zip(before, after)]


def cpu(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def edges_of(kind, edges, path):
    """Return edges as arrays, and write them to a file; return the flags for that, too."""
    random = np.random.default_rng(1)
    source = random.integers(VERTICES, size=edges, dtype=np.uint32)
    target = (VERTICES * random.random(edges) ** 2).astype(np.uint32)
    if kind == "dense":
        parts, flags = _edges.Edges(source, target, None).chunks(), ["--format=raw", f"--vertices={VERTICES}"]
    elif kind == "wide":
        ids = random.permutation(np.arange(VERTICES) * 2**42 - 2**61)
        source, target = ids[source], ids[target]
        wide = np.dtype("<i8")
        parts, flags = _arrow.stream({"source": (source, wide), "target": (target, wide)}, 1 << 16), ["--format=arrow"]
    else:
        ids = [f"user{x:08x}" for x in random.permutation(VERTICES)]
        if kind == "strings":
            objects = np.array(ids, object)
            source, target = objects[source], objects[target]
        else:
            source, target = (np.array([ids[x][:4] + ids[x][4:] for x in ends], object) for ends in (source, target))
        text = np.dtype(object)
        parts, flags = _arrow.stream({"source": (source, text), "target": (target, text)}, 1 << 16), ["--format=arrow", "--ids=string"]
    with open(path, "wb") as f:
        f.writelines(parts)
    return source, target, flags


def compare(kind, edges, rounds):
    binary = _binary.find()
    with tempfile.TemporaryDirectory() as folder:
        file, graph, values = (os.path.join(folder, name) for name in ("edges", "graph", "values.npy"))
        source, target, flags = edges_of(kind, edges, file)

        def command():
            run(binary, "import", "-q", "--force", *flags, file, graph)
            run(binary, "run", "pagerank", "-q", "--iterations=10", f"--output={values}", graph)
            np.array(np.load(values, mmap_mode="r")["pagerank"])

        def python():
            with Graph.from_edges(source, target, vertices=VERTICES if kind == "dense" else None) as g:
                g.pagerank(iterations=10)

        times = {"the command": [], "Python": []}
        for _ in range(rounds):
            times["the command"].append(measured(command))
            times["Python"].append(measured(python))
    print(f"{edges:,} edges, ids are {KINDS[kind]}:")
    medians = {name: [statistics.median(x) for x in zip(*rows)] for name, rows in times.items()}
    for name, (wall, own, others) in medians.items():
        print(f"{name:12} {wall:.2f} s; processors: {own:.2f} s in Python, {others:.2f} s in the command")
    (wall, own, others), (wall2, own2, others2) = medians.values()
    print(f"Python takes {100 * (wall2 / wall - 1):+.1f} % time, {100 * ((own2 + others2) / (own + others) - 1):+.1f} % of processors")


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def main(edges=10**7, rounds=5, *kinds):
    _binary.programs(_binary.find())  # once a process
    for kind in kinds or KINDS:
        compare(kind, int(edges), int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])
