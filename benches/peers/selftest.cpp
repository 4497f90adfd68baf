// Do the peers agree? `selftest FOLDER`, with the programs and the problems `small` and `curtain` in FOLDER.
//
// On the small problem: derivatives against finite differences; local/global, Newton and Newton-PCG of every peer reach
// the same g and positions; many local/global iterations approach Newton's minimum from above. On the Curtain: the same
// g after ten iterations, and a table of times, repeats interleaved. Exit code 1 if a check fails.
#include "newton.hpp"
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

constexpr double agreement = 1e-10;  // relative, of values of g
constexpr int repeats = 9;
const std::vector<std::string> names = {
    "eigen_llt",              "eigen_llt_3m",             "eigen_llt_published",
    "cholmod_supernodal_amd", "cholmod_supernodal_metis", "cholmod_supernodal_nesdis",
    "cholmod_simplicial_amd", "cholmod_simplicial_metis", "cholmod_simplicial_nesdis"};
int failures = 0;

void check(bool holds, const std::string& what) {
  if (!holds) ++failures, std::printf("FAILED  %s\n", what.c_str());
}

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * std::abs(b); }

class Process {
 public:
  std::string name;

  Process(const std::string& folder, const std::string& name, const std::string& problem) : name(name) {
    int in[2], out[2];
    // Closed on exec: a peer must not hold the pipes of those before it open.
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) throw std::runtime_error("no pipe");
    if ((pid = fork()) == 0) {
      dup2(in[0], 0), dup2(out[1], 1);
      execl((folder + "/peer").c_str(), "peer", name.c_str(), problem.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]), close(out[1]);
    to = fdopen(in[1], "w"), from = fdopen(out[0], "r");
    greeting = answer();
  }
  Process(const Process&) = delete;
  ~Process() {
    fclose(to), fclose(from);
    waitpid(pid, nullptr, 0);
  }

  std::string ask(const std::string& command) {
    std::fprintf(to, "%s\n", command.c_str());
    std::fflush(to);
    return answer();
  }

  // The numbers of the last line.
  std::map<std::string, double> numbers(const std::string& command) {
    const std::string line = ask(command);
    if (!line.starts_with("ok")) throw std::runtime_error(name + ": " + command + ": " + line);
    std::map<std::string, double> found;
    std::istringstream words(line.substr(2));
    for (std::string key, value; std::getline(words >> std::ws, key, '=') && words >> value;)
      found[key] = std::atof(value.c_str());
    return found;
  }

  bool one_thread() const {
    const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task");
    return std::distance(begin(tasks), end(tasks)) == 1;
  }

  std::string greeting;

 private:
  pid_t pid;
  FILE *to, *from;

  std::string answer() {
    for (char line[1000]; std::fgets(line, sizeof line, from);) {
      std::string text = line;
      if (!text.empty() && text.back() == '\n') text.pop_back();
      if (!text.starts_with("step")) return text;
    }
    return "error the process ended";
  }
};

using Peers = std::vector<std::unique_ptr<Process>>;

Peers start(const std::string& folder, const std::string& problem) {
  Peers peers;
  for (const auto& name : names) peers.push_back(std::make_unique<Process>(folder, name, problem));
  return peers;
}

void check_derivatives(const Objective& o) {
  Points x = o.p.start, g(o.m, 3), above(o.m, 3), below(o.m, 3);
  o.gradient(x, g);
  Hessian hessian(o);
  hessian.fill(x, false);
  const double step = 1e-4 * o.mean_rest_length;
  for (Eigen::Index row = 7; row < o.n; row += o.n / 5) {
    const int c = int(row % 3);
    Points up = x, down = x;
    up(row, c) += step, down(row, c) -= step;
    const double slope = (o.value(up) - o.value(down)) / (2 * step);
    check(std::abs(slope - g(row, c)) < 1e-5 * g.topRows(o.n).cwiseAbs().maxCoeff(),
          "gradient against finite differences");
    o.gradient(up, above), o.gradient(down, below);
    const Points column = ((above - below) / (2 * step)).topRows(o.n);
    const Vector expected = hessian.lower.selfadjointView<Eigen::Lower>() * Vector::Unit(3 * o.n, 3 * row + c);
    check((Eigen::Map<const Vector>(column.data(), 3 * o.n) - expected).norm() < 1e-5 * expected.norm(),
          "Hessian against finite differences");
  }
}

Points state(Process& peer, const std::string& folder, Eigen::Index m) {
  const std::string path = folder + "/state";
  peer.numbers("state " + path);
  Points x(m, 3);
  check(std::filesystem::file_size(path) == size_t(24 * m), peer.name + ": size of the state");
  std::ifstream in(path, std::ios::binary);
  file::get(in, x.data(), size_t(24 * m));
  return x;
}

void check_small(const std::string& folder) {
  const std::string problem = folder + "/small";
  const Objective o(read_problem(problem));
  check_derivatives(o);
  Peers peers = start(folder, problem);
  for (auto& peer : peers) {
    check(peer->ask("iterate 1").starts_with("error"), peer->name + ": iterations need a factor");
    peer->numbers("prepare");
  }
  const auto same = [&](const std::string& command) {
    const double g = peers[0]->numbers(command)["g"];
    const Points x = state(*peers[0], folder, o.m);
    for (auto& peer : peers) {
      check(near(peer->numbers(command)["g"], g, agreement), peer->name + ": g after " + command);
      const double apart = (state(*peer, folder, o.m) - x).cwiseAbs().maxCoeff();
      check(apart < 1e-6 * o.mean_rest_length, peer->name + ": positions after " + command);
    }
    std::printf("%-28s g = %.15e\n", command.c_str(), g);
    return g;
  };
  const double begin = same("iterate 0"), ten = same("iterate 10"), minimum = same("newton 1000");
  check(near(same("newton_pcg 1000"), minimum, agreement), "Newton-PCG reaches Newton's minimum");
  check(near(same("newton_pcg_projected 1000"), minimum, 1e-6), "projected Newton-PCG comes near Newton's minimum");
  const double many = same("iterate 3000");
  check(begin > ten && ten > many && many > minimum * (1 - agreement), "local/global descends to Newton's minimum");
  check(many - minimum < 1e-3 * (begin - minimum), "3000 iterations come near Newton's minimum");
  for (auto& peer : peers) {
    check(peer->numbers("newton 1000")["residual"] < 1e-8, peer->name + ": Newton's residual");
    check(peer->ask("dance").starts_with("error"), peer->name + ": an unknown command is an error");
    check(peer->ask("iterate").starts_with("error"), peer->name + ": a count is needed");
    check(peer->one_thread(), peer->name + ": one thread");
  }
  const Process lost(folder, names[0], folder + "/peer");
  check(lost.greeting.starts_with("error"), "a file that is no problem is an error");
}

struct Sample {
  std::vector<double> values;
  double minimum() const { return *std::min_element(values.begin(), values.end()); }
  double median() const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void time_curtain(const std::string& folder) {
  Peers peers = start(folder, folder + "/curtain");
  std::printf("\n%s\n", peers[0]->greeting.c_str());
  std::map<std::string, std::map<std::string, Sample>> samples;
  std::map<std::string, size_t> fill;
  double g = 0, newton = 0;
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (auto& peer : peers) {
      auto& sample = samples[peer->name];
      auto prepare = peer->numbers("prepare");
      fill[peer->name] = size_t(prepare["fill"]);
      sample["analyse"].values.push_back(prepare["analyse_cpu"]);
      sample["factor"].values.push_back(prepare["factor_cpu"]);
      auto iterate = peer->numbers("iterate 10");
      if (g == 0) g = iterate["g"];
      check(near(iterate["g"], g, agreement), peer->name + ": g of the Curtain after ten iterations");
      sample["iterate"].values.push_back(iterate["cpu"] / 10);
      sample["iterate wall"].values.push_back(iterate["wall"] / 10);
      sample["solve"].values.push_back(peer->numbers("solve 10")["cpu"] / 10);
      if (repeat > 2) continue;
      auto steps = peer->numbers("newton 1");
      if (newton == 0) newton = steps["g"];
      check(near(steps["g"], newton, agreement), peer->name + ": g of the Curtain after one Newton step");
      sample["newton"].values.push_back(steps["cpu"]);
    }
  std::printf("Curtain, %d interleaved repeats, milliseconds of thread CPU: minimum / median\n", repeats);
  std::printf("%-26s %8s %15s %15s %15s %15s %15s %17s\n", "peer", "fill", "analyse", "factor", "solve", "iteration",
              "(wall)", "Newton step");
  for (const auto& name : names) {
    std::printf("%-26s %8zu", name.c_str(), fill[name]);
    for (const char* what : {"analyse", "factor", "solve", "iterate", "iterate wall", "newton"}) {
      const Sample& s = samples[name][what];
      std::printf(" %7.3f /%7.3f", 1e3 * s.minimum(), 1e3 * s.median());
    }
    std::printf("\n");
  }
}

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: selftest FOLDER");
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  check_small(argv[1]);
  time_curtain(argv[1]);
  std::printf(failures ? "%d checks failed\n" : "all peers agree\n", failures);
  return failures ? 1 : 0;
} catch (const std::exception& error) {
  std::printf("selftest: %s\n", error.what());
  return 1;
}
