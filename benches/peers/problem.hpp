// One time step's minimisation problem as a file, read by every peer and written by `taut bench` and curtain.cpp.
//
//   g(x) = ½ ‖x − ŷ‖²_M + h² Σ ½ k (‖p‖ − r)²,   p = x_a − x_b        (crates/taut/src/energy.rs)
//
// Little endian, no padding, nothing after the last field:
//   magic    8 bytes   "TAUTPRB1"
//   m        u64       particles
//   s        u64       springs
//   h        f64       effective time step [s]
//   masses   f64[m]    [kg]
//   springs  s times   a u32, b u32, k f64 [N/m], r f64 [m]
//   start    f64[3m]   x0 [m], x y z of each particle: y = q_n + h v_n, pinned particles where their pin is
//   target   f64[3m]   ŷ = y + h² M⁻¹ f_ext [m]; entries of pinned particles are ignored
//   pinned   u8[m]     1: the particle has no row and stays at x0; 0: free
//
// Springs are linear, in extension and compression. Not handled: extension-only springs; the direction of a spring of
// no length (taut takes that of q_n; here d = 0).
#pragma once
#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

static_assert(std::endian::native == std::endian::little, "the format is read and written as it lies in memory");

struct Spring {
  uint32_t a, b;
  double k, r;
};
static_assert(sizeof(Spring) == 24);

// x y z of each particle, interleaved: in memory this is also the 3m-vector of the published form.
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

struct Problem {
  double h = 0;
  std::vector<double> masses;
  std::vector<Spring> springs;
  Points start, target;
  std::vector<uint8_t> pinned;

  size_t particles() const { return masses.size(); }
};

namespace file {
constexpr char magic[9] = "TAUTPRB1";

inline void put(std::ostream& out, const void* data, size_t bytes) {
  out.write(static_cast<const char*>(data), std::streamsize(bytes));
}

inline void get(std::istream& in, void* data, size_t bytes) {
  if (!in.read(static_cast<char*>(data), std::streamsize(bytes))) throw std::runtime_error("the file is too short");
}
}  // namespace file

inline void write_problem(const std::string& path, const Problem& p) {
  std::ofstream out(path, std::ios::binary);
  const uint64_t m = p.particles(), s = p.springs.size();
  file::put(out, file::magic, 8);
  file::put(out, &m, 8);
  file::put(out, &s, 8);
  file::put(out, &p.h, 8);
  file::put(out, p.masses.data(), 8 * m);
  file::put(out, p.springs.data(), sizeof(Spring) * s);
  file::put(out, p.start.data(), 24 * m);
  file::put(out, p.target.data(), 24 * m);
  file::put(out, p.pinned.data(), m);
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

inline Problem read_problem(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw std::runtime_error("cannot read " + path);
  const uint64_t size = uint64_t(in.tellg());
  in.seekg(0);
  Problem p;
  char magic[8];
  uint64_t m, s;
  file::get(in, magic, 8);
  if (std::memcmp(magic, file::magic, 8) != 0) throw std::runtime_error(path + " does not start with TAUTPRB1");
  file::get(in, &m, 8);
  file::get(in, &s, 8);
  file::get(in, &p.h, 8);
  // Before anything is allocated; the division keeps a hostile count from overflowing.
  if (m > size / 57 || s > size / 24 || size != 32 + 57 * m + 24 * s)
    throw std::runtime_error(path + " does not have the size its counts give");
  p.masses.resize(m);
  p.springs.resize(s);
  p.start.resize(Eigen::Index(m), 3);
  p.target.resize(Eigen::Index(m), 3);
  p.pinned.resize(m);
  file::get(in, p.masses.data(), 8 * m);
  file::get(in, p.springs.data(), sizeof(Spring) * s);
  file::get(in, p.start.data(), 24 * m);
  file::get(in, p.target.data(), 24 * m);
  file::get(in, p.pinned.data(), m);
  for (const Spring& spring : p.springs)
    if (spring.a >= m || spring.b >= m || spring.a == spring.b)
      throw std::runtime_error(path + " has a spring whose ends are not two of its particles");
  return p;
}
