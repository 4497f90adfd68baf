// Local/global iterations on membranes, blocks and links without rest length, as a user of Eigen writes them: the
// nearest matrices by Eigen's SVD (in closed form in the plane), one right-hand side of three columns, a prefactored SimplicialLLT.
//
//   g(x) = ½ ‖x − ŷ‖²_M + h² Σ E(F)        E: crates/taut/src/model/cell.rs, without change of area and limits
//
// Little endian, no padding, nothing after the last field:
//   magic      8 bytes   "TAUTPRB2"
//   m, c, l    u64       particles, cells (triangles or tetrahedra), links
//   corners    u64       of a cell: 3 or 4
//   h          f64       effective time step [s]
//   masses     f64[m]    [kg]
//   rest, start, target  f64[3m] each, x y z of each particle [m]; start and target as in problem.hpp
//   pinned     u8[m]
//   cells      c times   corners u32[3 or 4], warp's direction f64[3], stiffnesses f64[3]: of a triangle along warp and
//                        weft and in shear [N/m], of a tetrahedron Lamé's μ and λ [Pa] and nothing
//   links      l times   n u64, stiffness f64 [N/m], n times particle u32 and weight f64
#pragma once
#include "clock.hpp"
#include "solvers.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cstdio>
#include <optional>

struct Cell {
  std::array<uint32_t, 4> corners;
  Eigen::Matrix<double, 4, 3> gradients;  // gᵢ in the frame of warp and weft
  double shape, volume;
  std::array<double, 2> threads;
};

struct Row {
  double stiffness;
  std::vector<std::pair<uint32_t, double>> weights;
};

class Elements {
 public:
  explicit Elements(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    char magic[8];
    file::get(in, magic, 8);
    if (std::memcmp(magic, "TAUTPRB2", 8) != 0) throw std::runtime_error(path + " does not start with TAUTPRB2");
    const auto whole = [&] { uint64_t v; file::get(in, &v, 8); return v; };
    const auto real = [&] { double v; file::get(in, &v, 8); return v; };
    const auto index = [&] { uint32_t v; file::get(in, &v, 4); return v; };
    const uint64_t m = whole(), c = whole(), l = whole();
    corners = size_t(whole());
    const double h = real();
    h2 = h * h;
    masses.resize(m), pinned.resize(m);
    file::get(in, masses.data(), 8 * m);
    Points rest(m, 3);
    start.resize(m, 3), target.resize(m, 3);
    for (Points* p : {&rest, &start, &target}) file::get(in, p->data(), 24 * m);
    file::get(in, pinned.data(), m);
    for (uint64_t k = 0; k < c; ++k) {
      std::array<uint32_t, 4> at{};
      for (size_t i = 0; i < corners; ++i) at[i] = index();
      Eigen::Vector3d direction, numbers;
      file::get(in, direction.data(), 24);
      file::get(in, numbers.data(), 24);
      cells.push_back(corners == 3 ? triangle(rest, at, direction, numbers) : tet(rest, at, numbers));
    }
    for (uint64_t k = 0; k < l; ++k) {
      const uint64_t n = whole();
      Row row;
      row.stiffness = real();
      for (uint64_t i = 0; i < n; ++i) {
        const uint32_t particle = index();
        row.weights.emplace_back(particle, real());
      }
      rows.push_back(row);
    }
    number.resize(m, -1);
    for (uint32_t i = 0; i < m; ++i)
      if (!pinned[i]) number[i] = int(free.size()), free.push_back(i);
    assemble();
  }

  template <class Say>
  void prepare(Say say) {
    solver.emplace("");
    const Seconds analyse = timed([&] { solver->analyse(matrix); });
    bool definite = true;
    const Seconds factor = timed([&] { definite = solver->factor(matrix); });
    if (!definite) throw std::runtime_error("the matrix is not positive definite");
    say("ok analyse_wall=%.9f analyse_cpu=%.9f factor_wall=%.9f factor_cpu=%.9f fill=%zu stored=%zu", analyse.wall,
        analyse.cpu, factor.wall, factor.cpu, solver->fill(), solver->stored());
  }

  template <class Say>
  void iterate(int count, Say say) {
    if (!solver) throw std::runtime_error("prepare first");
    Points x = start;
    const Seconds t = timed([&] {
      for (int i = 0; i < count; ++i) corners == 3 ? step<3, 2>(x) : step<4, 3>(x);
    });
    say("ok wall=%.9f cpu=%.9f g=%.17g", t.wall, t.cpu, corners == 3 ? value<3, 2>(x) : value<4, 3>(x));
  }

 private:
  using Three = Eigen::Matrix<double, Eigen::Dynamic, 3>;
  size_t corners;
  double h2;
  std::vector<double> masses;
  std::vector<uint8_t> pinned;
  Points start, target;
  std::vector<Cell> cells;
  std::vector<Row> rows;
  std::vector<int> number;
  std::vector<uint32_t> free;
  Sparse matrix, held;  // of the free particles; what they feel of the pinned ones
  Three constant, b, solution;
  std::optional<EigenLlt> solver;

  static Cell triangle(const Points& rest, std::array<uint32_t, 4> at, const Eigen::Vector3d& direction,
                       const Eigen::Vector3d& numbers) {
    const Eigen::Vector3d p = rest.row(at[1]) - rest.row(at[0]), q = rest.row(at[2]) - rest.row(at[0]);
    const Eigen::Vector3d normal = p.cross(q).normalized(), u = (direction - normal.dot(direction) * normal).normalized();
    const Eigen::Vector3d v = normal.cross(u);
    Eigen::Matrix2d edges;
    edges << u.dot(p), u.dot(q), v.dot(p), v.dot(q);
    const double area = 0.5 * edges.determinant();
    const Eigen::Matrix2d inverse = edges.inverse();
    Cell cell{at, Eigen::Matrix<double, 4, 3>::Zero(), 2 * numbers[2] * area, 0, {}};
    cell.gradients.block<2, 2>(1, 0) = inverse;
    cell.gradients.row(0) = -cell.gradients.row(1) - cell.gradients.row(2);
    for (int n = 0; n < 2; ++n) cell.threads[size_t(n)] = area * (numbers[n] - 2 * numbers[2]);
    return cell;
  }

  static Cell tet(const Points& rest, std::array<uint32_t, 4> at, const Eigen::Vector3d& numbers) {
    Eigen::Matrix3d edges;
    for (int i = 0; i < 3; ++i) edges.col(i) = rest.row(at[size_t(i) + 1]) - rest.row(at[0]);
    const double volume = std::abs(edges.determinant()) / 6;
    Cell cell{at, Eigen::Matrix<double, 4, 3>::Zero(), 2 * numbers[0] * volume, 3 * numbers[1] * volume, {}};
    cell.gradients.bottomRows<3>() = edges.inverse();
    cell.gradients.row(0) = -cell.gradients.bottomRows<3>().colwise().sum();
    return cell;
  }

  void assemble() {
    std::vector<Eigen::Triplet<double>> inside, across;
    const auto add = [&](uint32_t i, uint32_t j, double v) {
      if (number[i] < 0) return;
      if (number[j] < 0) across.emplace_back(number[i], int(j), v);
      else if (number[i] >= number[j]) inside.emplace_back(number[i], number[j], v);
    };
    for (uint32_t i : free) add(i, i, masses[i]);
    for (const Cell& cell : cells)
      for (size_t i = 0; i < corners; ++i)
        for (size_t j = 0; j < corners; ++j) {
          const auto gi = cell.gradients.row(Eigen::Index(i)), gj = cell.gradients.row(Eigen::Index(j));
          double k = (cell.shape + cell.volume) * gi.dot(gj);
          for (int n = 0; n < 2; ++n) k += cell.threads[size_t(n)] * gi[n] * gj[n];
          add(cell.corners[i], cell.corners[j], h2 * k);
        }
    for (const Row& row : rows)
      for (const auto& [i, v] : row.weights)
        for (const auto& [j, w] : row.weights) add(i, j, h2 * row.stiffness * v * w);
    const auto n = Eigen::Index(free.size());
    matrix.resize(n, n), held.resize(n, start.rows());
    matrix.setFromTriplets(inside.begin(), inside.end());
    held.setFromTriplets(across.begin(), across.end());
    constant = -(held * Three(start));
    for (Eigen::Index i = 0; i < n; ++i) constant.row(i) += masses[free[size_t(i)]] * target.row(free[size_t(i)]);
    b.resize(n, 3), solution.resize(n, 3);
  }

  template <int N, int D>
  static Eigen::Matrix<double, 3, D> map(const Cell& cell, const Points& x) {
    Eigen::Matrix<double, 3, D> f = x.row(cell.corners[0]).transpose() * cell.gradients.row(0).template head<D>();
    for (int i = 1; i < N; ++i)
      f.noalias() += x.row(cell.corners[size_t(i)]).transpose() * cell.gradients.row(i).template head<D>();
    return f;
  }

  // The numbers with product 1 that are nearest to σ: x − σ = μ/x, by Newton's method on the logarithm of the product,
  // which is concave in μ. Where no such x are larger than σ/2 the last is smaller, t, and μ = t (t − σ).
  static Eigen::Vector3d unimodular(const Eigen::Vector3d& sigma) {
    const Eigen::Array3d s = sigma.array();
    const auto root = [&](double mu) { return Eigen::Array3d((s.square() + 4 * mu).max(0).sqrt()); };
    const double least = s[2] > 0 ? -0.25 * s[2] * s[2] : 0;
    if (s[2] > 0 && (0.5 * (s + root(least))).prod() > 1) {
      double low = 0, high = 0.5 * s[2];
      Eigen::Array3d x;
      for (int k = 0; k < 60; ++k) {
        const double t = 0.5 * (low + high);
        x = 0.5 * (s + root(t * (t - s[2])));
        x[2] = t;
        (x.prod() > 1 ? high : low) = t;
      }
      return x;
    }
    double mu = s[2] > 0.05 ? 0 : 0.01;
    for (int k = 0; k < 100; ++k) {
      const Eigen::Array3d d = root(mu), x = 0.5 * (s + d);
      const double before = mu;
      mu -= std::log(x.prod()) / (x * d).inverse().sum();
      if (!(mu > least)) mu = 0.5 * (before + least);
      if (std::abs(mu - before) < 1e-15) break;
    }
    return 0.5 * (s + root(mu));
  }

  // Σ weight × nearest matrix, and the energy.
  template <int D>
  static Eigen::Matrix<double, 3, D> wanted(const Cell& cell, const Eigen::Matrix<double, 3, D>& f, double* energy) {
    using Matrix = Eigen::Matrix<double, 3, D>;
    Matrix turned, sum;
    if constexpr (D == 3) {
      const Eigen::JacobiSVD<Matrix> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
      Eigen::Matrix3d u = svd.matrixU();
      Eigen::Vector3d sigma = svd.singularValues();
      if (u.determinant() * svd.matrixV().determinant() < 0) u.col(2) *= -1, sigma[2] *= -1;
      turned.noalias() = u * svd.matrixV().transpose();
      sum = cell.shape * turned;
      if (cell.volume > 0) {
        const Eigen::Vector3d kept = unimodular(sigma);
        sum.noalias() += cell.volume * u * kept.asDiagonal() * svd.matrixV().transpose();
        if (energy) *energy += 0.5 * cell.volume * (sigma - kept).squaredNorm();
      }
    } else {
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> squares;
      squares.computeDirect(f.transpose() * f);
      const Eigen::Matrix2d v = squares.eigenvectors();
      turned.noalias() = f * (v * squares.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal() * v.transpose());
      sum = cell.shape * turned;
      for (int n = 0; n < 2; ++n) {
        const double length = f.col(n).norm(), k = cell.threads[size_t(n)];
        sum.col(n) += k / length * f.col(n);
        if (energy) *energy += 0.5 * k * (length - 1) * (length - 1);
      }
    }
    if (energy) *energy += 0.5 * cell.shape * (f - turned).squaredNorm();
    return sum;
  }

  template <int N, int D>
  void step(Points& x) {
    b = constant;
    for (const Cell& cell : cells) {
      const Eigen::Matrix<double, 3, D> sum = h2 * wanted<D>(cell, map<N, D>(cell, x), nullptr);
      for (int i = 0; i < N; ++i)
        if (const int row = number[cell.corners[size_t(i)]]; row >= 0)
          b.row(row) += (sum * cell.gradients.row(i).template head<D>().transpose()).transpose();
    }
    solver->solve(b, solution);
    for (size_t i = 0; i < free.size(); ++i) x.row(free[i]) = solution.row(Eigen::Index(i));
  }

  template <int N, int D>
  double value(const Points& x) const {
    double g = 0, energy = 0;
    for (uint32_t i : free) g += 0.5 * masses[i] * (x.row(i) - target.row(i)).squaredNorm();
    for (const Cell& cell : cells) wanted<D>(cell, map<N, D>(cell, x), &energy);
    for (const Row& row : rows) {
      Eigen::RowVector3d p = Eigen::RowVector3d::Zero();
      for (const auto& [i, w] : row.weights) p += w * x.row(i);
      energy += 0.5 * row.stiffness * p.squaredNorm();
    }
    return g + h2 * energy;
  }
};
