// The projection onto the marginals of a chain, by a semismooth Newton method on its dual. Specification: projection.py.
//
// A chain of T edge tables over K labels has potentials u_0 = p 1, u_1, .., u_{T-1} in R^K and u_T = 0, and
//   alpha_t(i, j) = [m_t(i, j) + (u_{t+1}(j) - u_t(i)) / d_t^2]_+.
// The Hessian is the Laplacian of the edges with alpha > 0: block tridiagonal over the nodes that such edges meet. A
// step eliminates p, then one position after the other, from the first to the last.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/pair.h>

#include "common/kernel.hpp"
#include "common/parallel.hpp"
#include "common/small_matrices.hpp"
#include "common/vectorised.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Doubles = std::vector<double>;

constexpr double ridge = 1e-12;     // the diagonal grows by this share, where no edge leads to the ground
constexpr double line_tol = 1e-3;   // a line search ends with a step of this size, relative to its length
constexpr int64_t line_steps = 40;
constexpr double scale_tol = 1e-2;  // a warm start is scaled to within this share
constexpr int64_t scale_steps = 4;
constexpr int64_t lanes = 8;        // partial sums, so that the loops vectorise

// One row of a table: alpha(j) = [m(j) + give (to(j) - from)]_+, added to the inflow of j. Returns its sum.
PRAGAM_VECTORISED double fill_row(int64_t K, const double *PRAGAM_RESTRICT m, double give, double from,
                                  const double *PRAGAM_RESTRICT to, double *PRAGAM_RESTRICT alpha,
                                  double *PRAGAM_RESTRICT inflow) {
    double sum[lanes] = {};
    const auto one = [&](int64_t j, int64_t k) {
        const double x = m[j] + give * (to[j] - from), a = x > 0 ? x : 0.0;
        alpha[j] = a;
        inflow[j] += a;
        sum[k] += a;
    };
    int64_t first = 0;
    for (; first + lanes <= K; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) one(first + k, k);
    for (int64_t j = first; j < K; ++j) one(j, j - first);
    for (int64_t k = 1; k < lanes; ++k) sum[0] += sum[k];
    return sum[0];
}

struct Slope {
    double value, bend;
};

// The derivative along a direction, and its slope, that one row adds at the potentials `from` and `to`.
PRAGAM_VECTORISED Slope slope_row(int64_t K, const double *PRAGAM_RESTRICT m, double give, double from,
                                  const double *PRAGAM_RESTRICT to, double dfrom, const double *PRAGAM_RESTRICT dto) {
    double value[lanes] = {}, bend[lanes] = {};
    const auto one = [&](int64_t j, int64_t k) {
        const double x = m[j] + give * (to[j] - from), change = dto[j] - dfrom;
        value[k] += x > 0 ? x * change : 0.0;
        bend[k] += x > 0 ? change * change : 0.0;
    };
    int64_t first = 0;
    for (; first + lanes <= K; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) one(first + k, k);
    for (int64_t j = first; j < K; ++j) one(j, j - first);
    for (int64_t k = 1; k < lanes; ++k) value[0] += value[k], bend[0] += bend[k];
    return {value[0], give * bend[0]};
}

// The number of edges with mass in one row of a table; each is also added to the count of the node that it leads to.
PRAGAM_VECTORISED double count_row(int64_t K, const double *PRAGAM_RESTRICT alpha, double *PRAGAM_RESTRICT into) {
    double count[lanes] = {};
    const auto one = [&](int64_t j, int64_t k) {
        const double there = alpha[j] > 0 ? 1.0 : 0.0;
        into[j] += there;
        count[k] += there;
    };
    int64_t first = 0;
    for (; first + lanes <= K; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) one(first + k, k);
    for (int64_t j = first; j < K; ++j) one(j, j - first);
    for (int64_t k = 1; k < lanes; ++k) count[0] += count[k];
    return count[0];
}

// Y = U'^-1 Y for the upper triangle U (k x k) and Y (k x l): four rows at a time, so that the fifth is read once for all.
PRAGAM_VECTORISED void forward(int64_t k, int64_t l, const double *PRAGAM_RESTRICT U, double *Y) {
    for (int64_t a = 0; a < k; ++a) {
        double *PRAGAM_RESTRICT y = Y + a * l;
        int64_t q = 0;
        for (; q + 4 <= a; q += 4) {
            const double v0 = U[q * k + a], v1 = U[(q + 1) * k + a], v2 = U[(q + 2) * k + a], v3 = U[(q + 3) * k + a];
            const double *r0 = Y + q * l, *r1 = r0 + l, *r2 = r1 + l, *r3 = r2 + l;
            for (int64_t b = 0; b < l; ++b) y[b] -= (v0 * r0[b] + v1 * r1[b]) + (v2 * r2[b] + v3 * r3[b]);
        }
        for (; q < a; ++q)
            for (int64_t b = 0; b < l; ++b) y[b] -= U[q * k + a] * Y[q * l + b];
        const double pivot = 1 / U[a * k + a];
        for (int64_t b = 0; b < l; ++b) y[b] *= pivot;
    }
}

// One chain and what a Newton step on it needs.
class Chain {
  public:
    Chain(int64_t T, int64_t K, const double *m, const double *weight, double *u, double *alpha)
        : T(T), K(K), m(m), weight(weight), u(u), alpha(alpha), flow(size_t((T + 1) * K)), du(size_t((T + 1) * K)),
          moved(size_t((T + 1) * K)), into(size_t((T + 1) * K)), out_of(size_t((T + 1) * K)), nodes(size_t(T + 1)), factor(size_t(T + 1)), link(size_t(T + 1)),
          rhs(size_t(T + 1)) {}

    // The potentials of the best labelling, and a constant for each table that gives it the mass 1.
    void start() {
        std::fill_n(u + T * K, K, 0.0);
        for (int64_t t = T - 1; t >= 0; --t)
            for (int64_t i = 0; i < K; ++i) {
                double best = -std::numeric_limits<double>::infinity();
                for (int64_t j = 0; j < K; ++j) best = std::max(best, weight[t] * edge(t, i)[j] + u[(t + 1) * K + j]);
                u[t * K + i] = std::isfinite(best) ? best : 0.0;  // a label that no labelling can have: it has no edges
            }
        std::fill_n(u, K, *std::max_element(u, u + K));
        give_masses();
    }

    // The tables of the next iteration of a solver may be larger by a factor, and so their potentials: Newton steps on it.
    void rescale() {
        double more = 1;
        for (int64_t k = 0; k < scale_steps && std::abs(more) > scale_tol; ++k) {
            std::copy_n(u, size_t((T + 1) * K), du.begin());
            const Slope at = slope_at(0);
            more = at.bend > 0 ? std::min(std::max(-at.value / at.bend, -0.5), 1.0) : 0.0;
            for (int64_t q = 0; q < T * K; ++q) u[q] += more * u[q];
        }
    }

    // Newton steps until every constraint holds to within tol. The number of steps and the largest residual.
    std::pair<int64_t, double> minimise(double tol, int64_t most, Pulse &pulse) {
        for (int64_t step = 0;; ++step) {
            const double residual = fill();
            pulse.beat(size_t(4 * T * K * K));
            if (residual <= tol || step == most || !std::isfinite(residual)) return {step, residual};
            direct();
            const double length = line_search();
            for (int64_t k = 0; k < T * K; ++k) u[k] += length * du[size_t(k)];
            if (has_empty_table()) give_masses();
        }
    }

  private:
    const int64_t T, K;
    const double *m, *weight;
    double *u, *alpha;
    Doubles flow, du, moved;  // flow: the outflow of every node; at t = 0 and t = T nothing is kept equal
    Doubles into, out_of;     // how many edges with mass lead to each node, and from it
    std::vector<std::vector<int64_t>> nodes;  // of each position: those that an edge with mass meets
    std::vector<Doubles> factor, link, rhs;
    double mass = 0;  // of the first table

    const double *edge(int64_t t, int64_t i) const { return m + (t * K + i) * K; }
    double give(int64_t t) const { return 1.0 / weight[t]; }

    // alpha from the potentials, and the gradient: its largest entry.
    double fill() {
        Doubles inflow(size_t((T + 1) * K), 0.0);
        for (int64_t t = 0; t < T; ++t)
            for (int64_t i = 0; i < K; ++i)
                flow[size_t(t * K + i)] = fill_row(K, edge(t, i), give(t), u[t * K + i], u + (t + 1) * K,
                                                   alpha + (t * K + i) * K, inflow.data() + (t + 1) * K);
        mass = 0;
        for (int64_t i = 0; i < K; ++i) mass += flow[size_t(i)];
        double largest = std::abs(1 - mass);
        for (int64_t k = K; k < T * K; ++k) {
            flow[size_t(k)] -= inflow[size_t(k)];  // from here on minus the gradient
            largest = std::isnan(flow[size_t(k)]) ? flow[size_t(k)] : std::max(largest, std::abs(flow[size_t(k)]));
        }
        return std::isnan(mass) ? mass : largest;
    }

    bool has_empty_table() const {
        for (int64_t t = 0; t < T; ++t) {
            double largest = 0;
            for (int64_t i = 0; i < K && largest == 0; ++i)
                for (int64_t j = 0; j < K; ++j)
                    largest = std::max(largest, edge(t, i)[j] + give(t) * (u[(t + 1) * K + j] - u[t * K + i]));
            if (largest <= 0) return true;
        }
        return false;
    }

    // Adds a constant to every table, through the potentials, such that its mass is 1: Newton's method from above.
    void give_masses() {
        Doubles shift(static_cast<size_t>(T)), x(size_t(K * K));
        for (int64_t t = 0; t < T; ++t) {
            for (int64_t i = 0; i < K; ++i)
                for (int64_t j = 0; j < K; ++j)
                    x[size_t(i * K + j)] = edge(t, i)[j] + give(t) * (u[(t + 1) * K + j] - u[t * K + i]);
            double c = 1 - *std::max_element(x.begin(), x.end());
            for (int64_t k = 0; k < 100; ++k) {
                double sum = 0, count = 0;
                for (const double value : x)
                    if (value + c > 0) sum += value, count += 1;
                const double next = count > 0 ? (1 - sum) / count : c;
                if (!(next < c)) break;
                c = next;
            }
            shift[size_t(t)] = c * weight[t];
        }
        double total = 0;
        for (int64_t t = T - 1; t >= 0; --t) {
            total += shift[size_t(t)];
            for (int64_t i = 0; i < K; ++i) u[t * K + i] -= total;
        }
    }

    // The Newton direction du.
    void direct() {
        find_nodes();
        std::fill(du.begin(), du.end(), 0.0);
        double count = 0;
        for (int64_t i = 0; i < K; ++i) count += out_of[size_t(i)];
        const double h = std::max(count, 1.0) * give(0), r = mass - 1;  // of p alone; r is minus the gradient
        if (T > 1) {
            begin(h, r);
            for (int64_t t = 1; t + 1 < T; ++t) eliminate(t);
            finish(T - 1);
            for (int64_t t = T - 2; t >= 1; --t) substitute(t);
        }
        double dp = r;
        for (int64_t j = 0; j < K; ++j) dp += give(0) * into[size_t(K + j)] * (T > 1 ? du[size_t(K + j)] : 0.0);
        std::fill_n(du.begin(), K, dp / h);
    }

    void find_nodes() {
        std::fill(into.begin(), into.end(), 0.0);
        for (int64_t t = 0; t < T; ++t)
            for (int64_t i = 0; i < K; ++i)
                out_of[size_t(t * K + i)] = count_row(K, alpha + (t * K + i) * K, into.data() + (t + 1) * K);
        for (int64_t t = 1; t < T; ++t) {
            auto &here = nodes[size_t(t)];
            here.clear();
            for (int64_t j = 0; j < K; ++j)
                if (into[size_t(t * K + j)] + out_of[size_t(t * K + j)] > 0) here.push_back(j);
        }
    }

    // The block of position t before anything is eliminated, with its right-hand side.
    void open(int64_t t) {
        const auto &here = nodes[size_t(t)];
        const size_t k = here.size();
        factor[size_t(t)].assign(k * k, 0.0);
        rhs[size_t(t)].resize(k);
        for (size_t a = 0; a < k; ++a) {
            const size_t node = size_t(t * K + here[a]);
            const double own = give(t - 1) * into[node] + give(t) * out_of[node];
            factor[size_t(t)][a * k + a] = own * (1 + ridge);
            rhs[size_t(t)][a] = flow[node];
        }
    }

    void begin(double h, double r) {
        open(1);
        const auto &here = nodes[1];
        Doubles b(here.size());
        for (size_t a = 0; a < here.size(); ++a) b[a] = -give(0) * into[size_t(K + here[a])];
        const double weights[1] = {-1 / h};
        small_gram(1, int64_t(here.size()), b.data(), weights, factor[1].data());
        for (size_t a = 0; a < here.size(); ++a) rhs[1][a] -= b[a] * r / h;
    }

    // Factorises the block of position t; a doubtful pivot means edges that do not lead to the ground.
    void factorise(int64_t t) {
        auto &block = factor[size_t(t)];
        const int64_t k = int64_t(nodes[size_t(t)].size());
        const Doubles before = block;
        for (double more = 100 * ridge; !small_cholesky(k, block.data()) && more < 1; more *= 100) {
            block = before;
            for (int64_t a = 0; a < k; ++a) block[size_t(a * k + a)] *= 1 + more;
        }
    }

    // Takes position t out: the next block and its right-hand side get what is left of it.
    void eliminate(int64_t t) {
        factorise(t);
        const auto &here = nodes[size_t(t)], &next = nodes[size_t(t + 1)];
        const size_t k = here.size(), l = next.size();
        const Doubles &U = factor[size_t(t)];
        Doubles &Y = link[size_t(t)], &z = rhs[size_t(t)];
        Y.resize(k * l);
        for (size_t a = 0; a < k; ++a)
            for (size_t b = 0; b < l; ++b) Y[a * l + b] = alpha[(t * K + here[a]) * K + next[b]] > 0 ? -give(t) : 0.0;
        forward(int64_t(k), int64_t(l), U.data(), Y.data());
        forward(int64_t(k), 1, U.data(), z.data());
        open(t + 1);
        const Doubles minus(k, -1.0);
        small_gram(int64_t(k), int64_t(l), Y.data(), minus.data(), factor[size_t(t + 1)].data());
        for (size_t a = 0; a < k; ++a)
            for (size_t b = 0; b < l; ++b) rhs[size_t(t + 1)][b] -= Y[a * l + b] * z[a];
    }

    void finish(int64_t t) {
        factorise(t);
        small_substitute(int64_t(nodes[size_t(t)].size()), factor[size_t(t)].data(), rhs[size_t(t)].data());
        write(t);
    }

    // x_t = U^-1 (z - Y x_{t+1}).
    void substitute(int64_t t) {
        const auto &next = nodes[size_t(t + 1)];
        const size_t k = nodes[size_t(t)].size(), l = next.size();
        const Doubles &U = factor[size_t(t)], &Y = link[size_t(t)];
        Doubles &x = rhs[size_t(t)];
        for (size_t a = 0; a < k; ++a)
            for (size_t b = 0; b < l; ++b) x[a] -= Y[a * l + b] * du[size_t((t + 1) * K + next[b])];
        for (size_t a = k; a-- > 0;) {
            for (size_t b = a + 1; b < k; ++b) x[a] -= U[a * k + b] * x[b];
            x[a] /= U[a * k + a];
        }
        write(t);
    }

    void write(int64_t t) {
        for (size_t a = 0; a < nodes[size_t(t)].size(); ++a)
            du[size_t(t * K + nodes[size_t(t)][a])] = rhs[size_t(t)][a];
    }

    // The derivative of the dual along du, and its slope, at a distance s.
    Slope slope_at(double s) {
        for (size_t q = 0; q < du.size(); ++q) moved[q] = u[q] + s * du[q];
        Slope at{du[0], 0};
        for (int64_t t = 0; t < T; ++t)
            for (int64_t i = 0; i < K; ++i) {
                const Slope row = slope_row(K, edge(t, i), give(t), moved[size_t(t * K + i)],
                                            moved.data() + (t + 1) * K, du[size_t(t * K + i)],
                                            du.data() + (t + 1) * K);
                at.value += row.value;
                at.bend += row.bend;
            }
        return at;
    }

    // Nearly the minimum along du, by Newton's method within a bracket.
    double line_search() {
        double low = 0, high = std::numeric_limits<double>::infinity(), s = 1;
        for (int64_t k = 0; k < line_steps; ++k) {
            const Slope at = slope_at(s);
            (at.value < 0 ? low : high) = s;
            double next = at.bend > 0 ? s - at.value / at.bend : low;
            if (std::abs(next - s) <= line_tol * s) return std::min(std::max(next, low), high);
            if (!(next > low && next < high)) next = std::isinf(high) ? 2 * s : 0.5 * (low + high);
            s = next;
        }
        return s;
    }
};

// The chains of a batch, one after the other in m, alpha (K x K tables), weight (a number for each table) and u (K numbers
// for each node). lengths are their numbers of tables, tols the residuals at which they end. steps and residuals get what each has taken and left.
void chain_project(In<double> m, In<double> weight, In<int64_t> lengths, int64_t K, bool is_warm, In<double> tols,
                   int64_t most, Out<double> u, Out<double> alpha, Out<int64_t> steps, Out<double> residuals, int64_t threads) {
    const size_t n = lengths.size();
    std::vector<int64_t> first(n + 1, 0);
    for (size_t b = 0; b < n; ++b) {
        require(lengths.data()[b] >= 1, "chain_project: a chain has at least one table");
        first[b + 1] = first[b] + lengths.data()[b];
    }
    const size_t tables = size_t(first[n]);
    require(K >= 1 && m.size() == tables * size_t(K * K) && alpha.size() == m.size() && weight.size() == tables &&
                u.size() == (tables + n) * size_t(K) && tols.size() == n && steps.size() == n && residuals.size() == n,
            "chain_project: the arrays do not fit the lengths");
    nb::gil_scoped_release release;
    parallel_for(int64_t(n), worthwhile(threads, 16 * int64_t(m.size())), [&](int64_t b, Pulse &pulse) {
        const int64_t begin = first[size_t(b)];
        Chain chain(lengths.data()[b], K, m.data() + begin * K * K, weight.data() + begin, u.data() + (begin + b) * K,
                    alpha.data() + begin * K * K);
        if (is_warm) chain.rescale();
        else chain.start();
        const auto [taken, left] = chain.minimise(tols.data()[b], most, pulse);
        steps.data()[b] = taken;
        residuals.data()[b] = left;
    });
}

}  // namespace

void bind_chains_projection(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("chain_project", &chain_project, a("m"), a("weight"), a("lengths"), nb::arg("K"), nb::arg("is_warm"),
          a("tols"), nb::arg("most"), a("u"), a("alpha"), a("steps"), a("residuals"), nb::arg("threads") = 1);
}

}  // namespace pragam
