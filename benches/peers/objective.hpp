// g, ∇g, ∇²g and the matrices of local/global for one Problem, in the shapes the libraries want.
//
// Particles are renumbered once, free ones first: rows 0..n are the unknowns and the pinned particles follow. Springs
// between free particles come first, those at a pin after them.
#pragma once
#include "problem.hpp"
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>

using Sparse = Eigen::SparseMatrix<double>;  // column major, int indices; symmetric ones hold the lower triangle
using Vector = Eigen::VectorXd;

struct Objective {
  Problem p;
  Eigen::Index m, n;               // particles; free ones
  size_t inner;                    // springs between free particles
  std::vector<uint32_t> original;   // index in the file of each row
  double h2, mean_rest_length = 0;

  explicit Objective(Problem problem) : p(std::move(problem)), m(Eigen::Index(p.particles())), h2(p.h * p.h) {
    original.resize(size_t(m));
    std::iota(original.begin(), original.end(), 0u);
    const auto unpinned = [&](uint32_t i) { return !p.pinned[i]; };
    n = std::stable_partition(original.begin(), original.end(), unpinned) - original.begin();
    std::vector<uint32_t> row(original.size());
    for (uint32_t i = 0; i < row.size(); ++i) row[original[i]] = i;
    const Problem old = p;
    for (Eigen::Index i = 0; i < m; ++i) {
      p.masses[size_t(i)] = old.masses[original[size_t(i)]];
      p.start.row(i) = old.start.row(original[size_t(i)]);
      p.target.row(i) = old.target.row(original[size_t(i)]);
    }
    for (Spring& s : p.springs) s.a = row[s.a], s.b = row[s.b], mean_rest_length += s.r;
    const auto is_free = [&](const Spring& s) { return free(s); };
    inner = size_t(std::stable_partition(p.springs.begin(), p.springs.end(), is_free) - p.springs.begin());
    mean_rest_length /= double(std::max<size_t>(1, p.springs.size()));
  }

  bool free(const Spring& s) const { return s.a < n && s.b < n; }

  Points in_file_order(const Points& x) const {
    Points out(m, 3);
    for (Eigen::Index i = 0; i < m; ++i) out.row(original[size_t(i)]) = x.row(i);
    return out;
  }

  // g(x), by compensated summation as in taut, so that peers can be compared to the last digits.
  double value(const Points& x) const {
    double high = 0, low = 0;
    const auto add = [&](double term) {
      const double sum = high + term, part = sum - high;
      low += (high - (sum - part)) + (term - part);
      high = sum;
    };
    for (Eigen::Index i = 0; i < n; ++i) add(0.5 * p.masses[size_t(i)] * (x.row(i) - p.target.row(i)).squaredNorm());
    for (const Spring& s : p.springs) {
      const double stretch = (x.row(s.a) - x.row(s.b)).norm() - s.r;
      add(h2 * 0.5 * s.k * stretch * stretch);
    }
    return high + low;
  }

  // ∇g(x); only rows 0..n mean something.
  void gradient(const Points& x, Points& g) const {
    for (Eigen::Index i = 0; i < n; ++i) g.row(i) = p.masses[size_t(i)] * (x.row(i) - p.target.row(i));
    for (const Spring& s : p.springs) {
      const Eigen::RowVector3d q = x.row(s.a) - x.row(s.b);
      const double l = q.norm();
      const Eigen::RowVector3d f = (h2 * s.k * (l > 0 ? 1 - s.r / l : 1)) * q;
      g.row(s.a) += f;
      g.row(s.b) -= f;
    }
  }

  // max ‖∇g_i‖/(m_i ℓ), taut's scaled residual.
  double residual(const Points& g) const {
    double worst = 0;
    for (Eigen::Index i = 0; i < n; ++i) worst = std::max(worst, g.row(i).norm() / p.masses[size_t(i)]);
    return worst / mean_rest_length;
  }

  // M + h²L over the free rows, or its Kronecker product with I₃ (copies = 3): lower triangle.
  Sparse system(int copies) const {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](uint32_t i, uint32_t j, double v) {
      if (i >= n || j >= n) return;
      for (int c = 0; c < copies; ++c) entries.emplace_back(copies * int(i) + c, copies * int(j) + c, v);
    };
    for (uint32_t i = 0; i < n; ++i) add(i, i, p.masses[i]);
    for (const Spring& s : p.springs) {
      add(s.a, s.a, h2 * s.k);
      add(s.b, s.b, h2 * s.k);
      add(std::max(s.a, s.b), std::min(s.a, s.b), -h2 * s.k);
    }
    Sparse matrix(copies * n, copies * n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }
};

// The part of the global step's right-hand side that no iteration changes: M ŷ + h² Σ k x_pin.
inline Points constant_right_hand_side(const Objective& o) {
  Points b(o.n, 3);
  for (Eigen::Index i = 0; i < o.n; ++i) b.row(i) = o.p.masses[size_t(i)] * o.p.target.row(i);
  for (const Spring& s : o.p.springs) {
    const Eigen::Index i = std::min(s.a, s.b), pin = std::max(s.a, s.b);
    if (i < o.n && pin >= o.n) b.row(i) += o.h2 * s.k * o.p.start.row(pin);
  }
  return b;
}

// The local step d = r p/‖p‖ and b = M ŷ + h² (J d + …), in one pass over the springs, on n×3 matrices of any layout.
template <class Matrix>
void local_step(const Objective& o, const Matrix& constant, const Matrix& x, Matrix& b) {
  b = constant;
  const auto scale = [&](const Spring& s, double u, double v, double w) {
    const double l = std::sqrt(u * u + v * v + w * w);
    return l > 0 ? o.h2 * s.k * s.r / l : 0;
  };
  const Spring* spring = o.p.springs.data();
  const Spring *at_pin = spring + o.inner, *end = spring + o.p.springs.size();
  for (; spring != at_pin; ++spring) {
    const Eigen::Index i = spring->a, j = spring->b;
    const double u = x(i, 0) - x(j, 0), v = x(i, 1) - x(j, 1), w = x(i, 2) - x(j, 2), t = scale(*spring, u, v, w);
    b(i, 0) += t * u, b(i, 1) += t * v, b(i, 2) += t * w;
    b(j, 0) -= t * u, b(j, 1) -= t * v, b(j, 2) -= t * w;
  }
  for (; spring != end; ++spring) {
    const Eigen::Index i = std::min(spring->a, spring->b), pin = std::max(spring->a, spring->b);
    if (i >= o.n) continue;
    const Eigen::RowVector3d q = x.row(i) - o.p.start.row(pin);
    b.row(i) += scale(*spring, q[0], q[1], q[2]) * q;
  }
}

// The right-hand side as published: J is a sparse 3n×3s matrix (here with h² in it), d is stored, b = M ŷ + … + h² J d.
class Coupling {
 public:
  explicit Coupling(const Objective& o) : j(3 * o.n, 3 * Eigen::Index(o.p.springs.size())), d(j.cols()) {
    std::vector<Eigen::Triplet<double>> entries;
    for (size_t e = 0; e < o.p.springs.size(); ++e)
      for (int c = 0; c < 3; ++c) {
        const Spring& s = o.p.springs[e];
        if (s.a < o.n) entries.emplace_back(int(3 * s.a) + c, int(3 * e) + c, o.h2 * s.k);
        if (s.b < o.n) entries.emplace_back(int(3 * s.b) + c, int(3 * e) + c, -o.h2 * s.k);
      }
    j.setFromTriplets(entries.begin(), entries.end());
  }

  void local_step(const Objective& o, const Points& constant, const Points& x, Points& b) {
    const auto place = [&](uint32_t i) { return i < o.n ? x.row(i) : o.p.start.row(i); };
    for (size_t e = 0; e < o.p.springs.size(); ++e) {
      const Spring& s = o.p.springs[e];
      const Eigen::RowVector3d q = place(s.a) - place(s.b);
      const double l = q.norm();
      d.segment<3>(3 * Eigen::Index(e)) = (l > 0 ? s.r / l : 0) * q.transpose();
    }
    b = constant;
    Eigen::Map<Vector>(b.data(), b.size()).noalias() += j * d;
  }

 private:
  Sparse j;
  Vector d;
};

// ∇²g of the free rows, 3n×3n: M + h² Σ k [p̂p̂ᵀ + (1 − r/l)(I − p̂p̂ᵀ)], indefinite where springs are compressed.
// The pattern is made once; `fill` writes the values in place.
class Hessian {
 public:
  Sparse lower;

  explicit Hessian(const Objective& o) : o(o) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto block = [&](int i, int j) {
      for (int c = 0; c < 3; ++c)
        for (int r = i == j ? c : 0; r < 3; ++r) entries.emplace_back(3 * i + r, 3 * j + c, 0.0);
    };
    for (int i = 0; i < o.n; ++i) block(i, i);
    for (const Spring& s : o.p.springs)
      if (o.free(s)) block(int(std::max(s.a, s.b)), int(std::min(s.a, s.b)));
    lower.resize(3 * o.n, 3 * o.n);
    lower.setFromTriplets(entries.begin(), entries.end());
    for (size_t e = 0; e < o.inner; ++e)
      for (int c = 0; c < 3; ++c) slots.push_back(slot(o.p.springs[e], c));
  }

  // With `projected`, each spring's transverse factor is at least 0, which makes the sum definite.
  void fill(const Points& x, bool projected) {
    double* values = lower.valuePtr();
    std::fill(values, values + lower.nonZeros(), 0.0);
    for (int i = 0; i < o.n; ++i) add_diagonal(i, o.p.masses[size_t(i)] * Eigen::Matrix3d::Identity());
    for (size_t e = 0; e < o.p.springs.size(); ++e) {
      const Spring& s = o.p.springs[e];
      const Eigen::Matrix3d block = spring_block(s, x, projected);
      if (s.a < o.n) add_diagonal(int(s.a), block);
      if (s.b < o.n) add_diagonal(int(s.b), block);
      if (e < o.inner)
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) values[slots[3 * e + size_t(c)] + r] -= block(r, c);
    }
  }

  Eigen::Matrix3d spring_block(const Spring& s, const Points& x, bool projected) const {
    const Eigen::Vector3d q = (x.row(s.a) - x.row(s.b)).transpose();
    const double l = q.norm(), k = o.h2 * s.k;
    if (s.r == 0) return k * Eigen::Matrix3d::Identity();
    if (l == 0) return Eigen::Matrix3d::Zero();
    const double transverse = projected ? std::max(0.0, 1 - s.r / l) : 1 - s.r / l;
    const Eigen::Vector3d u = q / l;
    return k * transverse * Eigen::Matrix3d::Identity() + k * (1 - transverse) * (u * u.transpose());
  }

  // H + δμ M.
  void shift(double by) {
    for (int i = 0; i < 3 * o.n; ++i) lower.valuePtr()[lower.outerIndexPtr()[i]] += by * o.p.masses[size_t(i / 3)];
  }

 private:
  const Objective& o;
  std::vector<int> slots;  // where each column of the off-diagonal block of each inner spring begins

  int slot(const Spring& s, int c) const {
    const int i = int(std::max(s.a, s.b)), j = int(std::min(s.a, s.b));
    const int* inner = lower.innerIndexPtr();
    const int *begin = inner + lower.outerIndexPtr()[3 * j + c], *end = inner + lower.outerIndexPtr()[3 * j + c + 1];
    return int(std::lower_bound(begin, end, 3 * i) - inner);
  }

  void add_diagonal(int i, const Eigen::Matrix3d& block) {
    for (int c = 0; c < 3; ++c)
      for (int r = c; r < 3; ++r) lower.valuePtr()[lower.outerIndexPtr()[3 * i + c] + r - c] += block(r, c);
  }
};
