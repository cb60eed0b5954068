// The distribution over the labellings of one sequence, p(y) = exp(sum_t F_t(y_t) + sum_t T(y_t, y_{t+1})) / Z, by
// forward-backward. Specification: forward_backward.py.
//
// Probabilities are scaled at every token, which costs one exponential a score. Where the scale falls below `least`, sums
// may have lost digits to underflow: the sequence is then done once more with logarithms, slower and for any scores.
// What is lost is below 2^-1022 before the scaling of its pass, so below 2^-1022 / least after it; and no marginal counts
// whose two passes have less than `least` in common. Hence at most 2^-1022 / least^2 < 1e-47 of it is lost.
// A score of -inf forbids.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/vectorised.hpp"

namespace pragam {

// out(b) += sum_a x(a) M(a, b), four labels a in one pass over b; every sum in the order of a.
PRAGAM_VECTORISED static void add_product(std::int64_t K, const double *PRAGAM_RESTRICT x,
                                          const double *PRAGAM_RESTRICT M, double *PRAGAM_RESTRICT out) {
    std::int64_t a = 0;
    for (; a + 4 <= K; a += 4) {
        const double *row = M + a * K;
        for (std::int64_t b = 0; b < K; ++b)
            out[b] = (((out[b] + x[a] * row[b]) + x[a + 1] * row[K + b]) + x[a + 2] * row[2 * K + b]) +
                     x[a + 3] * row[3 * K + b];
    }
    for (; a < K; ++a)
        for (std::int64_t b = 0; b < K; ++b) out[b] += x[a] * M[a * K + b];
}

// out(a, b) += sum_t x(t, a) y(t, b), four tokens t in one pass over out; every sum in the order of t.
PRAGAM_VECTORISED static void add_outer_products(std::int64_t T, std::int64_t K, const double *PRAGAM_RESTRICT x,
                                                 const double *PRAGAM_RESTRICT y, double *PRAGAM_RESTRICT out) {
    std::int64_t t = 0;
    for (; t + 4 <= T; t += 4, x += 4 * K, y += 4 * K)
        for (std::int64_t a = 0; a < K; ++a)
            for (std::int64_t b = 0; b < K; ++b)
                out[a * K + b] = (((out[a * K + b] + x[a] * y[b]) + x[K + a] * y[K + b]) + x[2 * K + a] * y[2 * K + b]) +
                                 x[3 * K + a] * y[3 * K + b];
    for (; t < T; ++t, x += K, y += K)
        for (std::int64_t a = 0; a < K; ++a)
            for (std::int64_t b = 0; b < K; ++b) out[a * K + b] += x[a] * y[b];
}

// The transition scores and what every sequence needs of them.
struct Transitions {
    std::int64_t K;
    const double *scores;
    double most;
    std::vector<double> gain, turned;  // exp(T - most), and its transpose

    Transitions(std::int64_t labels, const double *T)
        : K(labels), scores(T), most(*std::max_element(T, T + labels * labels)), gain(std::size_t(labels * labels)),
          turned(gain.size()) {
        if (!(most > -std::numeric_limits<double>::infinity())) most = 0;  // all are forbidden
        for (std::int64_t a = 0; a < K; ++a)
            for (std::int64_t b = 0; b < K; ++b)
                gain[std::size_t(a * K + b)] = turned[std::size_t(b * K + a)] = std::exp(T[a * K + b] - most);
    }
};

class ChainPosterior {
  public:
    bool in_logarithms = false;  // whether the last sequence was done so
    double log_z = 0;

    explicit ChainPosterior(const Transitions &transitions) : T_(transitions), K_(transitions.K) {}

    // Node marginals P (L, K) of a sequence of L tokens with the node scores F (L, K).
    void run(std::int64_t L, const double *F, double *P) {
        L_ = L;
        for (auto *x : {&value_, &ahead_, &behind_, &arriving_}) x->assign(std::size_t(L * K_), 0.0);
        leaving_.assign(std::size_t(L * K_), 0.0);
        scores_ = F;
        in_logarithms = !scaled(P);
        if (in_logarithms) logarithmic(P);
    }

    // Adds the edge marginals to `plain`, to be multiplied by the gain of every transition, or to `direct`.
    void add_edges(double *plain, double *direct) const {
        if (L_ == 1) return;
        if (!in_logarithms)
            return add_outer_products(L_ - 1, K_, leaving_.data(), arriving_.data() + K_, plain);
        for (std::int64_t t = 0; t + 1 < L_; ++t)
            for (std::int64_t a = 0; a < K_; ++a)
                for (std::int64_t b = 0; b < K_; ++b) direct[a * K_ + b] += edge(t, a, b);
    }

    // The marginal of the labels a, b at the tokens t, t + 1.
    double edge(std::int64_t t, std::int64_t a, std::int64_t b) const {
        const std::size_t from = std::size_t(t * K_ + a), to = std::size_t((t + 1) * K_ + b);
        if (in_logarithms)
            return std::exp(ahead_[from] + T_.scores[a * K_ + b] + scores_[to] + behind_[to] - log_z);
        return leaving_[from] * T_.gain[std::size_t(a * K_ + b)] * arriving_[to];
    }

  private:
    static constexpr double least = 1e-130;

    // ahead: forward probabilities, each token's sum 1; arriving(t) = value(t) behind(t); leaving = ahead over its scale.
    bool scaled(double *P) {
        log_z = double(L_ - 1) * T_.most;
        for (std::int64_t t = 0; t < L_; ++t) {
            const double *F = scores_ + t * K_;
            double *value = &value_[std::size_t(t * K_)], *now = &ahead_[std::size_t(t * K_)];
            const double most = largest(F);
            for (std::int64_t a = 0; a < K_; ++a) value[a] = std::exp(F[a] - most);
            if (t == 0)
                std::copy(value, value + K_, now);
            else {
                add_product(K_, now - K_, T_.gain.data(), now);
                for (std::int64_t a = 0; a < K_; ++a) now[a] *= value[a];
            }
            const double sum = total(now);
            if (!(sum > least)) return false;
            const double share = 1 / sum;
            for (std::int64_t a = 0; a < K_; ++a) now[a] *= share;
            log_z += most + std::log(sum);
        }
        std::fill(behind_.end() - K_, behind_.end(), 1.0);
        for (std::int64_t t = L_ - 1; t >= 0; --t)
            if (!backward(t, P + t * K_)) return false;
        return true;
    }

    bool backward(std::int64_t t, double *P) {
        const std::size_t here = std::size_t(t * K_);
        double scale = 1.0;
        if (t + 1 < L_) {
            add_product(K_, &arriving_[here + std::size_t(K_)], T_.turned.data(), &behind_[here]);
            scale = total(&behind_[here]);
            if (!(scale > least)) return false;
            const double share = 1 / scale;
            for (std::int64_t a = 0; a < K_; ++a) behind_[here + std::size_t(a)] *= share;
        }
        for (std::int64_t a = 0; a < K_; ++a) P[a] = ahead_[here + std::size_t(a)] * behind_[here + std::size_t(a)];
        const double sum = total(P);
        if (!(sum > least)) return false;
        const double share = 1 / sum, leaving = 1 / (sum * scale);
        for (std::int64_t a = 0; a < K_; ++a) {
            const std::size_t k = here + std::size_t(a);
            P[a] *= share;
            arriving_[k] = value_[k] * behind_[k];
            leaving_[k] = ahead_[k] * leaving;
        }
        return true;
    }

    // ahead and behind hold logarithms.
    void logarithmic(double *P) {
        std::vector<double> terms(static_cast<std::size_t>(K_));
        for (std::int64_t t = 0; t < L_; ++t)
            for (std::int64_t b = 0; b < K_; ++b) {
                const std::size_t here = std::size_t(t * K_ + b);
                ahead_[here] = scores_[here];
                if (t == 0) continue;
                for (std::int64_t a = 0; a < K_; ++a)
                    terms[std::size_t(a)] = ahead_[std::size_t((t - 1) * K_ + a)] + T_.scores[a * K_ + b];
                ahead_[here] += log_sum(terms);
            }
        std::copy(ahead_.end() - K_, ahead_.end(), terms.begin());
        log_z = log_sum(terms);
        for (std::int64_t t = L_ - 1; t >= 0; --t)
            for (std::int64_t a = 0; a < K_; ++a) {
                const std::size_t here = std::size_t(t * K_ + a);
                behind_[here] = 0.0;
                if (t + 1 < L_) {
                    for (std::int64_t b = 0; b < K_; ++b) {
                        const std::size_t to = std::size_t((t + 1) * K_ + b);
                        terms[std::size_t(b)] = T_.scores[a * K_ + b] + scores_[to] + behind_[to];
                    }
                    behind_[here] = log_sum(terms);
                }
                P[here] = std::exp(ahead_[here] + behind_[here] - log_z);
            }
    }

    double total(const double *x) const {
        double part[4] = {};
        std::int64_t a = 0;
        for (; a + 4 <= K_; a += 4)
            for (std::int64_t k = 0; k < 4; ++k) part[k] += x[a + k];
        for (; a < K_; ++a) part[0] += x[a];
        return (part[0] + part[1]) + (part[2] + part[3]);
    }

    double largest(const double *x) const {
        double most = x[0];
        for (std::int64_t a = 1; a < K_; ++a) most = x[a] > most ? x[a] : most;
        return most;
    }

    static double log_sum(const std::vector<double> &x) {
        const double most = *std::max_element(x.begin(), x.end());
        if (!(most > -std::numeric_limits<double>::infinity())) return most;  // all are forbidden
        double sum = 0;
        for (const double term : x) sum += std::exp(term - most);
        return most + std::log(sum);
    }

    const Transitions &T_;
    std::int64_t K_, L_ = 0;
    const double *scores_ = nullptr;
    std::vector<double> value_, ahead_, behind_, arriving_, leaving_;
};

}  // namespace pragam
