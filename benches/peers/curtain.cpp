// Writes the Curtain (REFERENCES.md) as a problem: `curtain FILE [SIDE=81] [STIFFNESS=1000] [FRAMES=0]`.
//
// 1 m × 1 m, 1 kg, h = 1/30 s, two corners pinned, released horizontal with a seeded 0.1 mm perturbation and, so that
// the first step has something to solve, a swing of 2 rad/s about the pinned edge and a stretch of 1/s away from it.
// FRAMES steps are first solved exactly (Newton, CHOLMOD). A stand-in for taut's own scene where only peers are tested;
// the numbers differ from it.
#include "newton.hpp"
#include "one_thread.hpp"
#include <cstdio>

constexpr double h = 1.0 / 30, gravity = 9.81, swing = 2, stretch = 1, perturbation = 1e-4;

// SplitMix64, in [−1, 1).
double random_number(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

std::vector<Spring> links(uint32_t side, double k) {
  std::vector<Spring> springs;
  const double cell = 1.0 / (side - 1);
  const auto link = [&](uint32_t row, uint32_t column, int down, int right) {
    const int64_t r = int64_t(row) + down, c = int64_t(column) + right;
    if (r >= side || c < 0 || c >= side) return;
    springs.push_back({row * side + column, uint32_t(r * side + c), k, cell * std::hypot(down, right)});
  };
  for (auto [down, right] : {std::pair{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 1}, {1, -1}})
    for (uint32_t row = 0; row < side; ++row)
      for (uint32_t column = 0; column < side; ++column) {
        // One diagonal per quad, like a chequerboard; the falling one of a quad starts at its first column.
        const bool black = (row + column - (right < 0)) % 2;
        if (down == 1 && right != 0 && black != (right < 0)) continue;
        link(row, column, down, right);
      }
  return springs;
}

// What the step from positions q with velocities v has to minimise.
void aim(Problem& p, const Points& q, const Points& v) {
  p.start = q + h * v;
  p.target = p.start;
  p.target.col(1).array() -= h * h * gravity;
  for (size_t i = 0; i < p.particles(); ++i)
    if (p.pinned[i]) p.start.row(Eigen::Index(i)) = q.row(Eigen::Index(i));
}

int main(int argc, char** argv) try {
  use_one_thread(argv);
  const auto argument = [&](int i, double otherwise) { return argc > i ? std::atof(argv[i]) : otherwise; };
  const double side_given = argument(2, 81), stiffness = argument(3, 1000);
  if (argc < 2 || !(side_given >= 2) || !(stiffness > 0))
    throw std::runtime_error("usage: curtain FILE [SIDE] [STIFFNESS] [FRAMES]");
  const auto side = uint32_t(side_given);
  const Eigen::Index m = Eigen::Index(side) * side;
  Problem p;
  p.h = h;
  p.masses.assign(size_t(m), 1.0 / double(m));
  p.springs = links(side, stiffness);
  p.pinned.assign(size_t(m), 0);
  p.pinned[0] = p.pinned[side - 1] = 1;
  Points q(m, 3), v = Points::Zero(m, 3);
  uint64_t seed = 1;
  for (Eigen::Index i = 0; i < m; ++i) {
    const double x = double(i % side) / (side - 1), z = double(i / side) / (side - 1);
    q.row(i) << x - 0.5, 1.3, z - 0.5;
    v.row(i) << 0, -swing * z, stretch * z;
    if (p.pinned[size_t(i)]) continue;
    for (int c = 0; c < 3; ++c) q(i, c) += perturbation * random_number(seed);
  }
  aim(p, q, v);
  for (int frame = 0; frame < int(argument(4, 0)); ++frame) {
    const Objective o(p);
    Direct<Cholmod> direct(o, "supernodal_metis");
    Points x;
    const auto history = newton(o, direct, {1000}, 1, x);
    const Points next = o.in_file_order(x);
    v = (next - q) / h;
    q = next;
    aim(p, q, v);
    if (history.empty()) throw std::runtime_error("Newton found no step");
    std::fprintf(stderr, "frame %d: %zu Newton steps, residual %.1e\n", frame + 1, history.size(),
                 history.back().residual);
  }
  write_problem(argv[1], p);
} catch (const std::exception& error) {
  std::fprintf(stderr, "curtain: %s\n", error.what());
  return 2;
}
