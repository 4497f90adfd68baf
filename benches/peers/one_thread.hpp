// The libraries run in one thread: OpenBLAS by its own setting, CHOLMOD's OpenMP loops, which ask for four, by OpenMP's
// limit.
#pragma once
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

// Libraries read these when they are loaded, before main: so start over with them set.
void use_one_thread(char** argv) {
  if (std::getenv("TAUT_PEER_ONE_THREAD")) return;
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "MKL_NUM_THREADS",
                           "TAUT_PEER_ONE_THREAD"})
    setenv(name, "1", 1);
  execv("/proc/self/exe", argv);
  throw std::runtime_error("cannot start again with one thread");
}
