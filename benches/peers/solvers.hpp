// The libraries' sparse Cholesky factorizations behind one shape: analyse, factor, solve.
//
// Each is used as its documentation recommends: analysis once per pattern, factors and workspaces kept between calls,
// all right-hand sides in one call, results written to where they are wanted.
#pragma once
#include "objective.hpp"
#include <Eigen/SparseCholesky>
#include <cholmod.h>

// Right-hand sides and solutions, one column each.
using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

class EigenLlt {
 public:
  explicit EigenLlt(const std::string&) {}

  void analyse(const Sparse& lower) { llt.analyzePattern(lower); }

  bool factor(const Sparse& lower) {
    llt.factorize(lower);
    return llt.info() == Eigen::Success;
  }

  // Assigning `solve` to a plain matrix evaluates permutation and both triangular solves in it: no temporaries.
  template <class B, class X>
  void solve(const B& b, X&& x) {
    x = llt.solve(b);
  }

  size_t fill() const { return size_t(llt.matrixL().nestedExpression().nonZeros()); }
  size_t stored() const { return fill(); }

 private:
  Eigen::SimplicialLLT<Sparse, Eigen::Lower> llt;  // AMD ordering, Eigen's default
};

// `kind` is MODE_ORDERING: supernodal or simplicial; amd, metis or nesdis.
class Cholmod {
 public:
  explicit Cholmod(const std::string& kind) {
    cholmod_start(&common);
    common.supernodal = kind.starts_with("supernodal") ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    common.nmethods = 1;
    common.method[0].ordering = kind.ends_with("metis")    ? CHOLMOD_METIS
                                : kind.ends_with("nesdis") ? CHOLMOD_NESDIS
                                                           : CHOLMOD_AMD;
    common.postorder = true;
    common.print = 0;
    common.error_handler = nullptr;
  }
  Cholmod(const Cholmod&) = delete;
  ~Cholmod() {
    cholmod_free_dense(&work_y, &common);
    cholmod_free_dense(&work_e, &common);
    cholmod_free_factor(&l, &common);
    cholmod_finish(&common);
  }

  // Newton needs to know whether the matrix is definite: LDLᵀ, the simplicial default, would go on.
  void must_be_definite() { common.final_ll = common.quick_return_if_not_posdef = true; }

  void analyse(const Sparse& lower) {
    cholmod_free_factor(&l, &common);
    cholmod_sparse a = view(lower);
    l = cholmod_analyze(&a, &common);
    if (!l) throw std::runtime_error("cholmod_analyze failed");
    entries = size_t(common.lnz);
  }

  bool factor(const Sparse& lower) {
    cholmod_sparse a = view(lower);
    cholmod_factorize(&a, l, &common);
    return common.status == CHOLMOD_OK && l->minor == l->n;
  }

  // Workspaces are made by the first call and reused by the others; the solution is written straight to x.
  template <class B, class X>
  void solve(const B& b, X&& x) {
    cholmod_dense right = view(b), left = view(x), *solution = &left;
    cholmod_solve2(CHOLMOD_A, l, &right, nullptr, &solution, nullptr, &work_y, &work_e, &common);
  }

  size_t fill() const { return entries; }                              // nonzeros of L
  size_t stored() const { return l->is_super ? l->xsize : l->nzmax; }  // with what supernodes pad

 private:
  cholmod_common common;
  cholmod_factor* l = nullptr;
  cholmod_dense *work_y = nullptr, *work_e = nullptr;
  size_t entries = 0;

  template <class Matrix>
  static cholmod_dense view(const Matrix& b) {
    cholmod_dense d{};
    d.nrow = d.d = size_t(b.rows());
    d.ncol = size_t(b.cols());
    d.nzmax = d.nrow * d.ncol;
    d.x = const_cast<double*>(b.data());
    d.xtype = CHOLMOD_REAL;
    d.dtype = CHOLMOD_DOUBLE;
    return d;
  }

  static cholmod_sparse view(const Sparse& lower) {
    cholmod_sparse a{};
    a.nrow = a.ncol = size_t(lower.rows());
    a.nzmax = size_t(lower.nonZeros());
    a.p = const_cast<int*>(lower.outerIndexPtr());
    a.i = const_cast<int*>(lower.innerIndexPtr());
    a.x = const_cast<double*>(lower.valuePtr());
    a.stype = -1;
    a.itype = CHOLMOD_INT;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = a.packed = true;
    return a;
  }
};
