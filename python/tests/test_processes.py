"""Threads, forks, signals, and many simulations after one another."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import taut

LARGE = "curtain"


def stepped(simulation, steps=2):
    simulation.step(steps)
    return simulation.hash


def of_a_scene(name):
    return stepped(taut.Simulation(name, threads=2))


@pytest.mark.parametrize("how", ["fork", "forkserver", "spawn"])
def test_processes_have_threads_of_their_own(how):
    """A child that was forked after a large model has stepped in the parent does not wait for the parent's threads."""
    simulation = taut.Simulation(LARGE, threads=2)
    simulation.step()
    copy = simulation.copy()
    context = multiprocessing.get_context(how)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        jobs = [pool.submit(stepped, copy), pool.submit(of_a_scene, LARGE)]
        found = [job.result(timeout=120) for job in jobs]
    assert found == [stepped(simulation), of_a_scene(LARGE)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_goes_on_with_what_it_has():
    simulation = taut.Simulation(LARGE, threads=2)
    simulation.step()
    expected = stepped(simulation.copy())
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, stepped(simulation).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == expected
    os.waitpid(child, 0)
    assert stepped(simulation) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_simulation_that_was_at_work_when_forked_says_so():
    simulation = taut.Simulation("curtain21", threads=1)
    at_work = threading.Thread(target=simulation.step, args=(3000,))
    at_work.start()
    time.sleep(0.05)
    answers = []
    while at_work.is_alive() and "at work" not in answers:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            answer = "stepped"
            try:
                simulation.step()
            except taut.Error as error:
                answer = "at work" if "another thread was at work" in str(error) else str(error)
            finally:
                os.write(writing, answer.encode())
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answers.append(pipe.read())
        os.waitpid(child, 0)
    at_work.join()
    assert "at work" in answers


def test_the_interpreter_goes_on_meanwhile():
    simulation = taut.Simulation(LARGE, threads=1)
    at_work = threading.Thread(target=simulation.step, args=(20,))
    at_work.start()
    turns = 0
    while at_work.is_alive():
        turns += 1
        time.sleep(0)
    at_work.join()
    assert turns > 50


def test_four_threads_are_served_in_turn():
    one, all = taut.Simulation("curtain21"), taut.Simulation("curtain21")
    one.step(200)

    def work():
        for _ in range(50):
            all.step()
            assert all.positions.shape == (441, 3)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(work) for _ in range(4)]:
            job.result()
    assert all.hash == one.hash and all.report.step == 200


INTERRUPTED = """
import signal, sys, taut
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
simulation = taut.Simulation("curtain21")
simulation.step()
print("ready", flush=True)
try:
    {deed}
except KeyboardInterrupt:
    before = simulation.hash
    simulation.step()
    print("usable" if simulation.hash != before else "stuck", flush=True)
"""


@pytest.mark.parametrize("deed", ["simulation.step(10**9)", "simulation.run(10**6)", "while True: simulation.settle(0.0, 10**9)"])
def test_an_interrupt_is_answered(deed):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(deed=deed)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "usable\n"
        assert child.returncode == 0
    finally:
        child.kill()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_ten_thousand_simulations_leave_nothing():
    scene = taut.Scene.from_dict({"body": [{"grid": {"columns": 4, "rows": 4, "width": 1.0, "height": 1.0}}]})

    def many(count):
        for _ in range(count):
            simulation = scene.simulation(threads=2)
            simulation.step()
            simulation.positions

    many(500)
    before = resident()
    many(10_000)
    assert resident() - before <= 5_000_000
