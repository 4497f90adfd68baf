// Newton's method on g, with a library's direct solver or with conjugate gradients.
//
// Direct: (∇²g + μM) d = −∇g with the true Hessian; μ grows while a pivot of the factorization is not positive.
// Conjugate gradients: truncated Newton, block-Jacobi preconditioned, on the true Hessian (a direction of negative
// curvature ends the solve and what was found so far is the step) or on the one with every spring made definite.
// Armijo line search; once g cannot tell two points apart, a full step counts if it halves the residual, as in taut.
#pragma once
#include "clock.hpp"
#include "solvers.hpp"
#include <Eigen/LU>
#include <optional>

struct NewtonStep {
  Seconds time;          // since the start
  double g, residual;
  int linear;            // factorizations or products with the Hessian, since the start
};

// Solves with the 3n×3n Hessian by one of the libraries.
template <class Solver>
class Direct {
 public:
  Hessian hessian;
  Solver solver;
  Seconds analysis;
  int linear = 0;

  Direct(const Objective& o, const std::string& kind) : hessian(o), solver(kind) {
    if constexpr (requires { solver.must_be_definite(); }) solver.must_be_definite();
    analysis = timed([&] { solver.analyse(hessian.lower); });
  }

  void start() { linear = 0, mu = 0; }

  void solve(const Points& x, const Vector& right, Vector& d, double) {
    hessian.fill(x, false);
    mu = mu > 4 * smallest ? mu / 4 : 0;
    hessian.shift(mu);
    while (++linear, !solver.factor(hessian.lower)) {
      const double next = std::max(4 * mu, smallest);
      if (next > 1e30) throw std::runtime_error("no shift makes the Hessian definite");
      hessian.shift(next - mu);
      mu = next;
    }
    solver.solve(right, d);
  }

 private:
  static constexpr double smallest = 0.25;  // μ in units of M's own share of H
  double mu = 0;
};

// Conjugate gradients with Eigen's sparse product (with one triangle 0.27 ms on the Curtain, with both 0.43 ms).
// Eigen's own ConjugateGradient never looks at the curvature, which the true Hessian needs.
class Truncated {
 public:
  int linear = 0;

  Truncated(const Objective& o, bool projected) : hessian(o), o(o), projected(projected), inverse(size_t(o.n)) {}

  void start() { linear = 0; }

  void solve(const Points& x, const Vector& right, Vector& d, double tolerance) {
    hessian.fill(x, projected);
    invert_blocks(x);
    d.setZero(right.size());
    r = right;
    precondition();
    p = z;
    double rz = r.dot(z);
    const double goal = tolerance * tolerance * rz;
    for (Eigen::Index limit = std::clamp<Eigen::Index>(right.size(), 100, 10000); limit > 0 && rz > goal; --limit) {
      q.noalias() = hessian.lower.selfadjointView<Eigen::Lower>() * p;
      ++linear;
      const double curvature = p.dot(q);
      if (!(curvature > 0)) {
        if (d.isZero(0)) d = z;
        return;
      }
      const double alpha = rz / curvature;
      d += alpha * p;
      r -= alpha * q;
      precondition();
      const double next = r.dot(z);
      p = z + (next / rz) * p;
      rz = next;
    }
  }

 private:
  Hessian hessian;
  const Objective& o;
  bool projected;
  std::vector<Eigen::Matrix3d> inverse;
  Vector r, z, p, q;

  // Of the definite Hessian in either case: a preconditioner must be.
  void invert_blocks(const Points& x) {
    for (auto& block : inverse) block.setZero();
    for (Eigen::Index i = 0; i < o.n; ++i) inverse[size_t(i)].diagonal().setConstant(o.p.masses[size_t(i)]);
    for (const Spring& s : o.p.springs) {
      const Eigen::Matrix3d block = hessian.spring_block(s, x, true);
      if (s.a < o.n) inverse[s.a] += block;
      if (s.b < o.n) inverse[s.b] += block;
    }
    for (auto& block : inverse) block = block.inverse().eval();
  }

  void precondition() {
    z.resize(r.size());
    for (Eigen::Index i = 0; i < o.n; ++i) z.segment<3>(3 * i).noalias() = inverse[size_t(i)] * r.segment<3>(3 * i);
  }
};

// When to stop: after `steps` steps, once g ≤ `until`, or when `seconds` of processor time have passed at the end of a step.
struct NewtonLimits {
  int steps;
  double until = -1, seconds = 1e9;
};

// Newton steps from the problem's start; x is where they end. A solver that is not direct solves to
// min(forcing, √(‖∇g‖/‖∇g₀‖)).
template <class Linear>
std::vector<NewtonStep> newton(const Objective& o, Linear& linear, const NewtonLimits& limits, double forcing, Points& x) {
  constexpr double armijo = 1e-4, visible = 1e-11;  // taut's: sufficient decrease; what the rounding of g cannot fake
  const Seconds begin = now();
  std::vector<NewtonStep> history;
  Points gradient(o.m, 3), trial;
  Vector right(3 * o.n), d(3 * o.n);
  x = o.p.start;
  linear.start();
  o.gradient(x, gradient);
  double g = o.value(x), residual = o.residual(gradient), first = 0;
  const auto move = [&](double t) {
    trial = x;
    Eigen::Map<Vector>(trial.data(), 3 * o.n) += t * d;
  };
  for (int i = 0; i < limits.steps && residual > 0 && g > limits.until; ++i) {
    right = -Eigen::Map<const Vector>(gradient.data(), 3 * o.n);
    if (i == 0) first = right.norm();
    linear.solve(x, right, d, std::min(forcing, std::sqrt(right.norm() / first)));
    const double slope = -right.dot(d);
    std::optional<double> found;
    for (double t = 1; !found && -slope * t > visible * g; t /= 2) {
      move(t);
      const double next = o.value(trial);
      if (next <= g + armijo * t * slope) found = next;
    }
    if (!found) move(1);
    o.gradient(trial, gradient);
    const double next = o.residual(gradient);
    if (!found && !(next <= 0.5 * residual)) break;
    x = trial;
    g = found ? *found : o.value(x);
    residual = next;
    history.push_back({now() - begin, g, residual, linear.linear});
    if (history.back().time.cpu > limits.seconds) break;
  }
  return history;
}
