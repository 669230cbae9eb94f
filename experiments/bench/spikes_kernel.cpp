// A round of the model `spiking`, written by hand for speed with vectorised neurons: the limit that generated code is
// compared with. Every neuron has its own generator; neurons receive the mean of the other population's synapses.
#include <cmath>
#include <cstdint>
#include <cstring>

using std::int32_t;
using std::uint64_t;
#include "random.hpp"

struct Membrane {
    double C_m, g_L, E_L, V_th, V_reset, tau_ref, tau_s, opening, sigma, I_0, I_in, J_u, J_v, dt;
};

const int MOST = 1024;  // neurons of a population

struct Population {
    alignas(64) double vm[MOST], s[MOST], wait[MOST], current[MOST], count[MOST];
};

static void rest(Population& x, int room, const Membrane& p)
{
    for (int i = 0; i < room; i++) {
        x.vm[i] = p.E_L;
        x.s[i] = x.wait[i] = x.current[i] = x.count[i] = 0;
    }
}

// Input of the neurons of each option: a constant current, and the mean of the other population's synapses.
static inline void receive(Population& to, const Population& from, int n_arms, int n, double steady, double strength,
                           const double* gain)
{
    for (int k = 0; k < n_arms; k++) {
        const double* s = from.s + k * n;
        double lane[4] = {}, sum = 0;  // four partial sums, so that additions do not wait for each other
        int i = 0;
        for (; i + 4 <= n; i += 4)
            for (int j = 0; j < 4; j++)
                lane[j] += s[i + j];
        for (; i < n; i++)
            sum += s[i];
        sum += (lane[0] + lane[2]) + (lane[1] + lane[3]);
        const double current = steady + strength * (gain ? gain[k] : 1) * sum / n;
        for (i = 0; i < n; i++)
            to.current[k * n + i] = current;
    }
}

static inline void step(Population& x, uint64_t* __restrict stream, int room, const Membrane& p, double counts)
{
    const double share = p.dt / p.C_m, decay = p.dt / p.tau_s, spread = p.sigma * std::sqrt(2 * p.g_L * p.C_m / p.dt);
    const double still = std::floor((p.tau_ref + 1e-3 * p.dt) / p.dt);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int i = 0; i < room; i++) {
        const double wait = x.wait[i] - 1, moved = p.g_L * (p.E_L - x.vm[i]) + x.current[i] + spread * nsa::noise(stream[i]);
        const bool free = wait <= 0;
        const double vm = free ? x.vm[i] + share * moved : x.vm[i], s = x.s[i] - decay * x.s[i];
        const bool fires = free & (vm > p.V_th);
        x.vm[i] = fires ? p.V_reset : vm;
        x.s[i] = fires ? s + p.opening * (1 - s) : s;
        x.wait[i] = fires ? still : wait;
        x.count[i] += fires ? counts : 0;
    }
}

// Gains are (games, arms), streams (games, 2, room), spike counts (2, games, arms).
extern "C" void spiking_round(int n_games, int n_arms, int n, const Membrane* given, int input_steps, int reading_step,
                              int round_steps, const double* gain, uint64_t* streams, double* counts)
{
    const Membrane p = *given;
    const int size = n_arms * n, room = (size + 7) / 8 * 8;
    static thread_local Population u, v;
    for (int game = 0; game < n_games; game++, gain += n_arms, streams += 2 * room) {
        rest(u, room, p);
        rest(v, room, p);
        for (int t = 0; t < round_steps; t++) {
            const double counted = t >= reading_step;
            receive(u, v, n_arms, n, p.I_0 + (t < input_steps ? p.I_in : 0), p.J_u, nullptr);
            receive(v, u, n_arms, n, p.I_0, p.J_v, gain);
            step(u, streams, room, p, counted);
            step(v, streams + room, room, p, counted);
        }
        for (int k = 0; k < n_arms; k++) {
            double *of_u = counts + game * n_arms + k, *of_v = of_u + n_games * n_arms;
            *of_u = *of_v = 0;
            for (int i = 0; i < n; i++) {
                *of_u += u.count[k * n + i];
                *of_v += v.count[k * n + i];
            }
        }
    }
}
