// Wall time and the CPU time of this thread [s]. On a busy machine the second is the one to compare.
#pragma once
#include <ctime>

struct Seconds {
  double wall = 0, cpu = 0;
  Seconds operator-(Seconds o) const { return {wall - o.wall, cpu - o.cpu}; }
  Seconds& operator+=(Seconds o) { return wall += o.wall, cpu += o.cpu, *this; }
};

inline Seconds now() {
  const auto read = [](clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  return {read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID)};
}

template <class Work>
Seconds timed(Work&& work) {
  const Seconds begin = now();
  work();
  return now() - begin;
}
