"""What Python costs over the command alone: python3 tests/cost.py [EDGES [ROUNDS]], in python/.

Both import the same edges, between a million vertices, and rank these. They run in turn; the
medians are compared, of time and of the processors' time. It needs no test framework.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from garaph import Graph, _binary, _edges

VERTICES = 1 << 20


def measured(work):
    """Return seconds, and seconds of processors, of this process and of others."""
    before = [time.perf_counter(), *(cpu(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))]
    work()
    after = [time.perf_counter(), *(cpu(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))]
    return [b - a for a, b in zip(before, after)]


def cpu(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main(edges=10**7, rounds=5):
    random = np.random.default_rng(1)
    source = random.integers(VERTICES, size=edges, dtype=np.uint32)
    target = (VERTICES * random.random(edges) ** 2).astype(np.uint32)
    binary = _binary.find()
    with tempfile.TemporaryDirectory() as folder:
        raw, graph, values = (os.path.join(folder, name) for name in ("edges.bin", "graph", "values.npy"))
        with open(raw, "wb") as f:
            f.writelines(_edges.Edges(source, target, None).chunks())

        def command():
            run(binary, "import", "-q", "--force", "--format=raw", f"--vertices={VERTICES}", raw, graph)
            run(binary, "run", "pagerank", "-q", "--iterations=10", f"--output={values}", graph)
            np.array(np.load(values, mmap_mode="r")["pagerank"])

        def python():
            with Graph.from_edges(source, target, vertices=VERTICES) as g:
                g.pagerank(iterations=10)

        _binary.programs(binary)  # once a process
        times = {"the command": [], "Python": []}
        for _ in range(rounds):
            times["the command"].append(measured(command))
            times["Python"].append(measured(python))
    medians = {name: [statistics.median(x) for x in zip(*rows)] for name, rows in times.items()}
    for name, (wall, own, others) in medians.items():
        print(f"{name:12} {wall:.2f} s; processors: {own:.2f} s in Python, {others:.2f} s in the command")
    (wall, own, others), (wall2, own2, others2) = medians.values()
    print(f"{edges:,} edges: Python takes {100 * (wall2 / wall - 1):+.1f} % time, {100 * ((own2 + others2) / (own + others) - 1):+.1f} % of processors")
    part = measured(lambda: [None for _ in _edges.edges(source, target, None, VERTICES).chunks()])
    print(f"of it, {part[1]:.3f} s for edges that are checked and put into pairs")


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
