"""Continuous detection by ipc-toolkit, through its Python package.

    detect NAME PROBLEM          driven by `taut bench`; NAME is tight_inclusion or additive, with their defaults, or lbvh
    detect NAME --labels FOLDER  misses and false alarms on labelled queries, as `certify_ccd` reads them

A problem is: five u64, the numbers of points, edges, faces, vertex-face and edge-edge queries; positions of the points
at the start and at the end, f64[3] each; edges, faces and queries, i32 each: two points, three points, a vertex and a
face, two edges. All little endian.

One command per line on standard input, one answer `ok KEY=VALUE ...` each, the first unasked when the problem is read:

    vertex_face N, edge_edge N   all queries of that kind, N times: wall, cpu [s], contacts (1 if any was found)
    pairs N                      find the pairs, N times, by a tree that is built afresh: wall, cpu [s], pairs

One thread.
"""

import csv
import pathlib
import platform
import sys
import time

import ipctk
import numpy

ipctk.set_num_threads(1)
ipctk.set_logger_level(ipctk.off)


def say(**answer):
    print("ok", *(f"{key}={value}" for key, value in answer.items()), flush=True)


class Problem:
    def __init__(self, path):
        data = open(path, "rb").read()
        counts = [int(n) for n in numpy.frombuffer(data, numpy.uint64, 5)]
        place = 40

        def table(kind, rows, columns):
            nonlocal place
            found = numpy.frombuffer(data, kind, rows * columns, place).reshape(rows, columns)
            place += found.nbytes
            return numpy.asfortranarray(found)

        points, edges, faces, vertex_face, edge_edge = counts
        self.start, self.end = (table(numpy.float64, points, 3) for _ in range(2))
        self.mesh = ipctk.CollisionMesh(
            self.start, table(numpy.int32, edges, 2), table(numpy.int32, faces, 3)
        )
        self.queries = {"vertex_face": ipctk.Candidates(), "edge_edge": ipctk.Candidates()}
        self.queries["vertex_face"].fv_candidates = [
            ipctk.FaceVertexCandidate(face, vertex)
            for vertex, face in table(numpy.int32, vertex_face, 2).tolist()
        ]
        self.queries["edge_edge"].ee_candidates = [
            ipctk.EdgeEdgeCandidate(a, b) for a, b in table(numpy.int32, edge_edge, 2).tolist()
        ]

    def run(self, method, kind, times):
        free = True
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(times):
            free &= self.queries[kind].is_step_collision_free(self.mesh, self.start, self.end, 0.0, method)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        say(wall=wall, cpu=cpu, contacts=int(not free))

    def pairs(self, times):
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(times):
            found = ipctk.Candidates()
            found.build(self.mesh, self.start, self.end, 0.0, ipctk.LBVH())
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        say(wall=wall, cpu=cpu, pairs=len(found))


def labelled(method, folder):
    missed = alarms = contacts = free = 0
    for path in sorted(pathlib.Path(folder).rglob("*.csv")):
        faces = "vertex-face" in path.parts
        query = method.point_triangle_ccd if faces else method.edge_edge_ccd
        rows = [[int(n) for n in row] for row in csv.reader(open(path))]
        for first in range(0, len(rows) - 7, 8):
            eight = rows[first : first + 8]
            points = [numpy.array([r[0] / r[1], r[2] / r[3], r[4] / r[5]]) for r in eight]
            hit, _ = query(*points)
            if eight[0][6]:
                contacts += 1
                missed += not hit
            else:
                free += 1
                alarms += hit
    print(f"{missed} of {contacts} missed, {alarms} of {free} false alarms ({100 * alarms / free:.2f} %)")


def main():
    methods = {"tight_inclusion": ipctk.TightInclusionCCD, "additive": ipctk.AdditiveCCD}
    method = methods.get(sys.argv[1], lambda: None)()
    if sys.argv[2] == "--labels":
        return labelled(method, sys.argv[3])
    problem = Problem(sys.argv[2])
    say(ipctk=ipctk.__version__, python=platform.python_version())
    for line in sys.stdin:
        kind, times = line.split()
        if kind == "pairs":
            problem.pairs(int(times))
        else:
            problem.run(method, kind, int(times))


main()
