// The work of the engines, written by hand for speed: the limit that generated code is compared with. First a decision
// round of many U-V pairs by Euler steps; then whole games with tabulated responses, and whole games of models with
// several synaptic variables and with a signal. All share one parameter set; steps and parameters are in units of the time step.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

struct Parameters {
    double tau_u, tau_v, gain_u, offset_u, threshold_u, gain_v, offset_v, threshold_v, I_ext;
};

// e^x: x = k ln 2 + r, a polynomial for e^r, 2^k added to the exponent bits.
static inline double fast_exp(double x)
{
    x = x < -708 ? -708 : x > 709 ? 709 : x;
    const double k = std::rint(x * 1.4426950408889634);
    const double r = std::fma(k, -1.90821492927058770002e-10, std::fma(k, -6.93147180369123816490e-01, x));
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (1. / 2 + r / 6) + r2 * (1. / 24 + r / 120);
    const double mid = (1. / 720 + r / 5040) + r2 * (1. / 40320 + r / 362880);
    const double high = (1. / 3628800 + r / 39916800) + r2 * (1. / 479001600 + r / 6227020800.);
    double e = 1 + (r + r2 * (low + r4 * (mid + r4 * high)));
    std::int64_t bits;
    std::memcpy(&bits, &e, 8);
    bits += std::int64_t(std::int32_t(k)) << 52;
    std::memcpy(&e, &bits, 8);
    return e;
}

extern "C" void decide(int n, const double* value, const Parameters* p, int input_steps, int round_steps,
                       double* u_end, double* v_end)
{
    const int BLOCK = 64;
    for (int start = 0; start < n; start += BLOCK) {
        const int width = n - start < BLOCK ? n - start : BLOCK;
        alignas(64) double u[BLOCK] = {}, v[BLOCK] = {}, phi[BLOCK];
        std::memcpy(phi, value + start, width * sizeof(double));
        for (int step = 0; step < round_steps; step++) {
            const double I = step < input_steps ? p->I_ext : 0;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
            for (int i = 0; i < width; i++) {
                const double s_u = 1 / (1 + fast_exp(-p->gain_u * (u[i] - p->offset_u)));
                const double s_v = 1 / (1 + fast_exp(-p->gain_v * (v[i] - p->offset_v)));
                u[i] += ((s_v > p->threshold_v ? s_v : 0) + I - u[i]) * (1 / p->tau_u);
                v[i] += ((s_u > p->threshold_u ? s_u : 0) * phi[i] - v[i]) * (1 / p->tau_v);
            }
        }
        std::memcpy(u_end + start, u, width * sizeof(double));
        std::memcpy(v_end + start, v, width * sizeof(double));
    }
}

// The same for one game with lateral inhibition: every neuron of U receives -inhibition times the responses of all
// others of U. Arrays are padded to a multiple of eight, so that every loop has whole vectors.
extern "C" void decide_coupled(int n, const double* value, const Parameters* p, double inhibition, int input_steps,
                               int round_steps, double* u_end, double* v_end)
{
    const int MOST = 1024, room = (n + 7) / 8 * 8;
    alignas(64) double u[MOST], v[MOST], phi[MOST], phi_u[MOST], phi_v[MOST];
    for (int i = 0; i < room; i++) {
        u[i] = v[i] = 0;
        phi[i] = value[i < n ? i : 0];
    }
    for (int step = 0; step < round_steps; step++) {
        const double I = step < input_steps ? p->I_ext : 0;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int i = 0; i < room; i++) {
            const double s_u = 1 / (1 + fast_exp(-p->gain_u * (u[i] - p->offset_u)));
            const double s_v = 1 / (1 + fast_exp(-p->gain_v * (v[i] - p->offset_v)));
            phi_u[i] = s_u > p->threshold_u ? s_u : 0;
            phi_v[i] = s_v > p->threshold_v ? s_v : 0;
        }
        double lane[8] = {};
        for (int k = 0; k < room; k += 8)
            for (int i = 0; i < 8; i++)
                lane[i] += k + i < n ? phi_u[k + i] : 0;
        const double all = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int i = 0; i < room; i++) {
            u[i] += (phi_v[i] - inhibition * (all - phi_u[i]) + I - u[i]) * (1 / p->tau_u);
            v[i] += (phi_u[i] * phi[i] - v[i]) * (1 / p->tau_v);
        }
    }
    std::memcpy(u_end, u, n * sizeof(double));
    std::memcpy(v_end, v, n * sizeof(double));
}

// A round of one pair. Without vectors, each step waits for the one before, and the library's e^x is faster.
extern "C" void decide_one(double value, const Parameters* given, int input_steps, int round_steps, double* u_end,
                           double* v_end)
{
    const Parameters p = *given;
    const double share_u = 1 / p.tau_u, share_v = 1 / p.tau_v;
    double u = 0, v = 0;
    for (int step = 0; step < round_steps; step++) {
        const double s_u = 1 / (1 + std::exp(-p.gain_u * (u - p.offset_u)));
        const double s_v = 1 / (1 + std::exp(-p.gain_v * (v - p.offset_v)));
        u += ((s_v > p.threshold_v ? s_v : 0) + (step < input_steps ? p.I_ext : 0) - u) * share_u;
        v += ((s_u > p.threshold_u ? s_u : 0) * value - v) * share_v;
    }
    *u_end = u;
    *v_end = v;
}

// A sigmoid and a Gaussian of the weight.
struct Curve {
    double r, alpha, beta, mu, sigma;
    double operator()(double w) const
    {
        const double far = (w - mu) / sigma;
        return r / (1 + std::exp(-beta * (w - alpha))) + (1 - r) * std::exp(-far * far / 2);
    }
};

struct Learning {
    Curve rate, value;
    double w_max;
};

// Cells of equal width over values from 0 to 1, each divided into its own number of parts; its points, of u and of v,
// begin at its offset.
struct Answers {
    std::int64_t cells;
    const std::int64_t *parts, *offsets;
    const double *u, *v;
};

static inline double parabola(const double* middle, double t)
{
    return middle[0] + t / 2 * (middle[1] - middle[-1] + t * (middle[-1] + middle[1] - 2 * middle[0]));
}

// The index of the highest of n numbers; a uniform number selects among those within the tolerance.
static inline int highest(const double* x, int n, double luck, double tolerance)
{
    double most = x[0];
    for (int k = 1; k < n; k++)
        most = x[k] > most ? x[k] : most;
    int tied = 0;
    for (int k = 0; k < n; k++)
        tied += x[k] >= most - tolerance;
    int before = int(luck * tied), k = 0;
    while (x[k] < most - tolerance || before-- > 0)
        k++;
    return k;
}

// Rounds of games: select, pay, learn, and look up the response of the pulled option. Probabilities are (rounds, games,
// arms), uniform numbers (rounds, games, 4), choices (rounds, games), and the state of the games (games, arms).
extern "C" void play_table(int n_games, int n_arms, int n_rounds, const Learning* p, const Answers* table,
                           double tolerance, const double* chances, const double* luck, double* weights, double* u,
                           double* v, std::int32_t* arms, double* earned)
{
    for (int game = 0; game < n_games; game++, weights += n_arms, u += n_arms, v += n_arms) {
        for (int round = 0; round < n_rounds; round++) {
            const int at = round * n_games + game;
            const double* drawn = luck + 4 * std::int64_t(at);
            const int k_u = highest(u, n_arms, drawn[0], tolerance), k_v = highest(v, n_arms, drawn[1], tolerance);
            const int arm = k_u == k_v ? k_v : int(drawn[2] * n_arms);
            const double chance = chances[std::int64_t(at) * n_arms + arm], reward = drawn[3] < chance;
            arms[at] = arm;
            earned[game] += chance;
            double& w = weights[arm];
            w += p->rate(w) * (reward * p->w_max - w);
            const double x = p->value(w) * table->cells;
            const std::int64_t cell = x < table->cells ? std::int64_t(x) : table->cells - 1, parts = table->parts[cell];
            const double y = (x - cell) * parts;
            const std::int64_t odd = std::int64_t(y) | 1, middle = odd < parts ? odd : parts - 1;
            u[arm] = parabola(table->u + table->offsets[cell] + middle, y - middle);
            v[arm] = parabola(table->v + table->offsets[cell] + middle, y - middle);
        }
    }
}

// A model with three synaptic variables: novelty n adds to U's input, fades in all options and is lost by choices; a
// trace c of choices slows learning.
struct Novelty {
    Parameters pair;
    Learning learning;
    double kappa, fade, lose, forget, slow;
};

// Rounds of games of that model. Options that were never chosen are equal, so one of them is integrated; the pairs of
// all games are integrated together, in blocks of 64.
extern "C" void play_novelty(int n_games, int n_arms, int n_rounds, const Novelty* given, int input_steps,
                             int round_steps, double tolerance, const double* chances, const double* luck, double* w,
                             double* n, double* c, double* u, double* v, std::int8_t* tried, std::int32_t* arms,
                             double* earned)
{
    const Novelty m = *given;
    const Parameters& p = m.pair;
    const int BLOCK = 64, units = n_games * n_arms;
    std::vector<int> places(units);
    for (int round = 0; round < n_rounds; round++) {
        int todo = 0;
        for (int game = 0; game < n_games; game++) {
            bool seen = false;
            for (int i = game * n_arms; i < (game + 1) * n_arms; i++)
                if (tried[i] || !seen) {
                    seen |= !tried[i];
                    places[todo++] = i;
                }
        }
        for (int start = 0; start < todo; start += BLOCK) {
            const int left = todo - start < BLOCK ? todo - start : BLOCK, width = (left + 7) / 8 * 8;
            alignas(64) double a[BLOCK] = {}, b[BLOCK] = {}, value[BLOCK], input[BLOCK];
            for (int i = 0; i < width; i++) {
                const int place = places[start + (i < left ? i : left - 1)];
                value[i] = m.learning.value(w[place]);
                input[i] = p.I_ext * (1 + m.kappa * n[place]);
            }
            for (int step = 0; step < round_steps; step++) {
                const double on = step < input_steps;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
                for (int i = 0; i < width; i++) {
                    const double s_u = 1 / (1 + fast_exp(-p.gain_u * (a[i] - p.offset_u)));
                    const double s_v = 1 / (1 + fast_exp(-p.gain_v * (b[i] - p.offset_v)));
                    a[i] += ((s_v > p.threshold_v ? s_v : 0) + on * input[i] - a[i]) * (1 / p.tau_u);
                    b[i] += ((s_u > p.threshold_u ? s_u : 0) * value[i] - b[i]) * (1 / p.tau_v);
                }
            }
            for (int i = 0; i < left; i++) {
                u[places[start + i]] = a[i];
                v[places[start + i]] = b[i];
            }
        }
        for (int game = 0; game < n_games; game++) {
            const int first = game * n_arms, at = round * n_games + game;
            int known = -1;
            for (int i = first; i < first + n_arms; i++)
                if (!tried[i]) {
                    known = known < 0 ? i : known;
                    u[i] = u[known];
                    v[i] = v[known];
                }
            const double* drawn = luck + 4 * std::int64_t(at);
            const int k_u = highest(u + first, n_arms, drawn[0], tolerance);
            const int k_v = highest(v + first, n_arms, drawn[1], tolerance);
            const int arm = k_u == k_v ? k_v : int(drawn[2] * n_arms), place = first + arm;
            const double chance = chances[std::int64_t(at) * n_arms + arm], reward = drawn[3] < chance;
            arms[at] = arm;
            earned[game] += chance;
            const double was = n[place];
            for (int i = first; i < first + n_arms; i++) {
                c[i] -= m.forget * c[i];
                n[i] -= m.fade * n[i];
            }
            c[place] += 1;
            w[place] += m.learning.rate(w[place]) * (reward * m.learning.w_max - w[place]) / (1 + m.slow * c[place]);
            n[place] = was - (m.fade + m.lose) * was;
            tried[place] = 1;
        }
    }
}

// A model with a signal: V shows the weight w, U the weight or, in as far as the option is new, the aspiration a of the
// game. Novelty h is lost by choices and recovers.
struct Familiarity {
    double share_u, share_v, hope, up, down, rate, extra, recover, lose;
};

// Rounds of games of that model. A changed aspiration changes U in every option; V changes in the chosen one only.
extern "C" void play_familiarity(int n_games, int n_arms, int n_rounds, const Familiarity* given, int steps,
                                 double tolerance, const double* chances, const double* luck, double* w, double* h,
                                 double* a, double* u, double* v, std::int32_t* arms, double* earned)
{
    const Familiarity m = *given;
    const int BLOCK = 64;
    for (int round = 0; round < n_rounds; round++)
        for (int game = 0; game < n_games; game++) {
            const int first = game * n_arms, at = round * n_games + game;
            double *own_w = w + first, *own_h = h + first, *own_u = u + first, *own_v = v + first;
            for (int start = 0; start < n_arms; start += BLOCK) {
                const int left = n_arms - start < BLOCK ? n_arms - start : BLOCK;
                alignas(64) double drive[BLOCK] = {}, x[BLOCK] = {};
                for (int i = 0; i < left; i++)
                    drive[i] = (1 - own_h[start + i]) * own_w[start + i] + own_h[start + i] * a[game];
                const int width = left <= 8 ? 8 : left <= 40 ? 40 : BLOCK;
                if (width == 8)
                    for (int step = 0; step < steps; step++)
                        for (int i = 0; i < 8; i++)
                            x[i] += m.share_u * (drive[i] - x[i]);
                else if (width == 40)
                    for (int step = 0; step < steps; step++)
                        for (int i = 0; i < 40; i++)
                            x[i] += m.share_u * (drive[i] - x[i]);
                else
                    for (int step = 0; step < steps; step++)
                        for (int i = 0; i < BLOCK; i++)
                            x[i] += m.share_u * (drive[i] - x[i]);
                std::memcpy(own_u + start, x, left * sizeof(double));
            }
            const double* drawn = luck + 4 * std::int64_t(at);
            const int k_u = highest(own_u, n_arms, drawn[0], tolerance);
            const int k_v = highest(own_v, n_arms, drawn[1], tolerance);
            int arm = k_v;
            if (k_u != k_v) {
                int above = 0;
                for (int i = 0; i < n_arms; i++)
                    above += own_u[i] > own_u[k_v];
                arm = int(drawn[2] * n_arms);
                if (above) {
                    const double point = drawn[2] * above;
                    int upto = 0;
                    for (arm = 0; arm < n_arms - 1; arm++)
                        if ((upto += own_u[arm] > own_u[k_v]) > point)
                            break;
                }
            }
            const double chance = chances[std::int64_t(at) * n_arms + arm], reward = drawn[3] < chance;
            arms[at] = arm;
            earned[game] += chance;
            a[game] += (reward > a[game] ? m.up : m.down) * (reward - a[game]);
            const double was = own_h[arm], rate = m.rate + m.extra * was;
            own_w[arm] += (rate < 0 ? 0 : rate > 1 ? 1 : rate) * (reward - own_w[arm]);
            for (int i = 0; i < n_arms; i++)
                own_h[i] += m.recover * (1 - own_h[i]);
            own_h[arm] = was + (m.recover * (1 - was) - m.lose * was);
            double y = 0;
            for (int step = 0; step < steps; step++)
                y += m.share_v * (own_w[arm] - y);
            own_v[arm] = y;
        }
}
