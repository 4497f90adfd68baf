// A solver a user could pick, as a process that `taut bench` drives: `peer NAME PROBLEM` (see problem.hpp).
//
// NAME: eigen_llt                                SimplicialLLT of the m×m matrix, three right-hand sides
//       eigen_llt_3m                             SimplicialLLT of the published 3m×3m form, one right-hand side
//       eigen_llt_published                      the same with d stored and J a sparse matrix, as [Liu13] writes it
//       eigen_elements                           the same of membranes, blocks and links (see elements.hpp): prepare, iterate
//       cholmod_{supernodal,simplicial}_{amd,metis,nesdis}     CHOLMOD, m×m, three right-hand sides
//
// One command per line on standard input. Answers on standard output: any number of lines `step KEY=VALUE ...`, then
// one line `ok KEY=VALUE ...` or `error MESSAGE`. The first answer comes unasked when the problem is read, with the
// versions of everything and the BLAS in use.
// `wall` and `cpu` are seconds, of the clock and of this thread; every command starts from the problem's start state.
//
//   prepare        analyse and factor afresh: analyse_wall, analyse_cpu, factor_wall, factor_cpu, fill (nonzeros of L),
//                  stored (numbers kept for L). Assembling the matrix is not timed.
//   iterate N      N local/global iterations: wall, cpu, g
//   solve N        N solves with the first iteration's right-hand side: wall, cpu
//   newton N       at most N Newton steps with the peer's direct solver on the 3m×3m Hessian. Each step: wall and cpu
//                  since the start, g, residual, linear (factorizations so far). Last: the same, steps, and
//                  analyse_wall, analyse_cpu of the Hessian's pattern, which is done once and not in wall and cpu
//   newton_pcg N              likewise with block-Jacobi conjugate gradients on the true Hessian, solved to
//   newton_pcg_projected N    min(forcing, √(‖∇g‖/‖∇g₀‖)); linear counts products; _projected: every spring made definite
//                  After N may follow, separated by spaces: until=G (stop once g ≤ G), seconds=S (start no step after
//                  S seconds of this thread), forcing=F (0.01 if not given)
//   state FILE     the positions where the last command ended: f64[3m], little endian, in the problem's order
//   quit
//
// One thread, see one_thread.hpp.
#include "elements.hpp"
#include "newton.hpp"
#include "one_thread.hpp"
#include <cstdarg>
#include <cstdio>
#include <dlfcn.h>
#include <iostream>
#include <sstream>

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

// CHOLMOD's supernodal factorization is as fast as the BLAS it finds; a reference BLAS should not go unnoticed.
std::string blas() {
  const auto config = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
  if (!config) return "not_OpenBLAS";
  std::string text = config();
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

// `Matrix` is the layout of positions and right-hand sides, n×3: by columns as the libraries take three right-hand
// sides, by rows where one right-hand side holds them all.
template <class Solver, class Matrix>
class Peer {
 public:
  Peer(Problem problem, std::string kind)
      : o(std::move(problem)), kind(std::move(kind)), matrix(o.system(copies)), positions(o.p.start) {
    constant = constant_right_hand_side(o);
    x.resize(o.n, 3), b.resize(o.n, 3);
    if (this->kind == "published") coupling.emplace(o);
  }

  void prepare() {
    solver.emplace(kind);
    const Seconds analyse = timed([&] { solver->analyse(matrix); });
    bool definite = true;
    const Seconds factor = timed([&] { definite = solver->factor(matrix); });
    if (!definite) throw std::runtime_error("the matrix is not positive definite");
    b = constant;
    solve_once();  // makes the workspaces, so that no timed solve has to
    say("ok analyse_wall=%.9f analyse_cpu=%.9f factor_wall=%.9f factor_cpu=%.9f fill=%zu stored=%zu", analyse.wall,
        analyse.cpu, factor.wall, factor.cpu, solver->fill(), solver->stored());
  }

  void iterate(int count) {
    start();
    const Seconds t = timed([&] {
      for (int i = 0; i < count; ++i) {
        local();
        solve_once();
      }
    });
    positions.topRows(o.n) = x;
    say("ok wall=%.9f cpu=%.9f g=%.17g", t.wall, t.cpu, o.value(positions));
  }

  void solve(int count) {
    start();
    local();
    const Seconds t = timed([&] {
      for (int i = 0; i < count; ++i) solve_once();
    });
    positions.topRows(o.n) = x;
    say("ok wall=%.9f cpu=%.9f", t.wall, t.cpu);
  }

  void newton(const NewtonLimits& limits) {
    if (!direct) direct.emplace(o, kind);
    tell(::newton(o, *direct, limits, 1, positions), direct->analysis);
  }

  void newton_pcg(const NewtonLimits& limits, bool projected, double forcing) {
    auto& truncated = projected ? projected_pcg : true_pcg;
    if (!truncated) truncated.emplace(o, projected);
    tell(::newton(o, *truncated, limits, forcing, positions), {});
  }

  void state(const std::string& path) const {
    std::ofstream out(path, std::ios::binary);
    file::put(out, o.in_file_order(positions).data(), size_t(24 * o.m));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
    say("ok");
  }

 private:
  static constexpr bool kronecker = Matrix::IsRowMajor;
  static constexpr int copies = kronecker ? 3 : 1;
  Objective o;
  std::string kind;
  Sparse matrix;
  std::optional<Solver> solver;
  std::optional<Direct<Solver>> direct;
  std::optional<Truncated> true_pcg, projected_pcg;
  std::optional<Coupling> coupling;
  Matrix constant, x, b;
  Points positions;

  void start() {
    if (!solver) throw std::runtime_error("prepare first");
    x = o.p.start.topRows(o.n);
  }

  void local() {
    if constexpr (kronecker)
      if (coupling) return coupling->local_step(o, constant, x, b);
    local_step(o, constant, x, b);
  }

  void solve_once() {
    if constexpr (kronecker)
      solver->solve(Eigen::Map<const Vector>(b.data(), b.size()), Eigen::Map<Vector>(x.data(), x.size()));
    else
      solver->solve(b, x);
  }

  void tell(const std::vector<NewtonStep>& history, Seconds analysis) const {
    NewtonStep last{{}, o.value(o.p.start), 0, 0};
    for (const NewtonStep& s : history) {
      last = s;
      say("step wall=%.9f cpu=%.9f g=%.17g residual=%.6g linear=%d", s.time.wall, s.time.cpu, s.g, s.residual,
          s.linear);
    }
    say("ok wall=%.9f cpu=%.9f g=%.17g residual=%.6g linear=%d steps=%zu analyse_wall=%.9f analyse_cpu=%.9f",
        last.time.wall, last.time.cpu, last.g, last.residual, last.linear, history.size(), analysis.wall, analysis.cpu);
  }
};

void greet() {
  say("ok compiler=g++_%s eigen=%d.%d.%d cholmod=%d.%d.%d blas=%s", __VERSION__, EIGEN_WORLD_VERSION,
      EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION,
      blas().c_str());
}

void serve_elements(const std::string& path) {
  Elements peer(path);
  greet();
  for (std::string word; std::cin >> word;) {
    try {
      int count = 0;
      if (word == "prepare") peer.prepare([](auto... all) { say(all...); });
      else if (word == "iterate" && std::cin >> count) peer.iterate(count, [](auto... all) { say(all...); });
      else if (word == "quit") return say("ok");
      else throw std::runtime_error("unknown command '" + word + "'");
    } catch (const std::exception& error) {
      say("error %s", error.what());
    }
  }
}

template <class Solver, class Matrix>
void serve(Problem problem, const std::string& kind) {
  Peer<Solver, Matrix> peer(std::move(problem), kind);
  greet();
  for (std::string line, word; std::getline(std::cin, line);) {
    std::istringstream words(line);
    words >> word;
    const auto count = [&] {
      int n;
      if (!(words >> n) || n < 0) throw std::runtime_error("'" + line + "' needs a count");
      return n;
    };
    const auto option = [&](const std::string& key, double otherwise) {
      const auto at = line.find(' ' + key + '=');
      return at == std::string::npos ? otherwise : std::stod(line.substr(at + key.size() + 2));
    };
    const auto limits = [&] {
      const int steps = count();
      return NewtonLimits{steps, option("until", -1), option("seconds", 1e9)};
    };
    try {
      if (word == "prepare") peer.prepare();
      else if (word == "iterate") peer.iterate(count());
      else if (word == "solve") peer.solve(count());
      else if (word == "newton") peer.newton(limits());
      else if (word == "newton_pcg" || word == "newton_pcg_projected")
        peer.newton_pcg(limits(), word == "newton_pcg_projected", option("forcing", 0.01));
      else if (word == "state") peer.state(line.substr(std::min(line.size(), size_t(6))));
      else if (word == "quit") return say("ok");
      else throw std::runtime_error("unknown command '" + line + "'");
    } catch (const std::exception& error) {
      say("error %s", error.what());
    }
  }
}

int main(int argc, char** argv) try {
  use_one_thread(argv);
  if (argc != 3) throw std::runtime_error("usage: peer NAME PROBLEM");
  const std::string name = argv[1];
  if (name == "eigen_elements") return serve_elements(argv[2]), 0;
  Problem problem = read_problem(argv[2]);
  using ThreeColumns = Eigen::Matrix<double, Eigen::Dynamic, 3>;
  if (name == "eigen_llt") serve<EigenLlt, ThreeColumns>(std::move(problem), name);
  else if (name == "eigen_llt_3m") serve<EigenLlt, Points>(std::move(problem), name);
  else if (name == "eigen_llt_published") serve<EigenLlt, Points>(std::move(problem), "published");
  else if (name.starts_with("cholmod_")) serve<Cholmod, ThreeColumns>(std::move(problem), name.substr(8));
  else throw std::runtime_error("unknown peer " + name);
} catch (const std::exception& error) {
  say("error %s", error.what());
  return 2;
}
