// Rounds of the models `spiking` and `spiking-ei` in single precision, written by hand for speed: sixteen games side by
// side in the lanes of vectors, or the neurons of one game. The limit that generated code is compared with.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using std::int32_t;
using std::uint32_t;
using std::uint64_t;
#include "random.hpp"

#if defined(__clang__)
#define VECTOR _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define VECTOR _Pragma("GCC ivdep")
#else
#define VECTOR
#endif

const int LANES = 16;

struct Membrane {
    float C_m, g_L, E_L, V_th, V_reset, tau_ref, tau_s, opening, sigma, I_0, I_in, J_u, J_v, dt;
};

// Four words of state in each lane, from which come 32 random bits (xoshiro128+ of Blackman and Vigna, 2018).
struct Generator {
    alignas(64) uint32_t a[LANES], b[LANES], c[LANES], d[LANES];
};

static void seed(Generator& g, uint64_t& state)
{
    for (int i = 0; i < LANES; i++) {
        const uint64_t one = nsa::random_bits(state), two = nsa::random_bits(state);
        g.a[i] = (uint32_t)one, g.b[i] = (uint32_t)(one >> 32), g.c[i] = (uint32_t)two, g.d[i] = (uint32_t)(two >> 32);
    }
}

static inline uint32_t next(Generator& g, int i)
{
    uint32_t a = g.a[i], b = g.b[i], c = g.c[i], d = g.d[i];
    const uint32_t found = a + d, moved = b << 9;
    c ^= a, d ^= b, b ^= c, a ^= d, c ^= moved, d = (d << 11) | (d >> 21);
    g.a[i] = a, g.b[i] = b, g.c[i] = c, g.d[i] = d;
    return found;
}

static inline float steps_of(float duration, float dt) { return std::floor((duration + 1e-3f * dt) / dt); }

// Sixteen neurons of the model `spiking`: one of each game, or of one game.
struct Cells {
    alignas(64) float vm[LANES], s[LANES], wait[LANES], count[LANES];
    Generator random;
};

static void rest(Cells& x, const Membrane& p)
{
    for (int i = 0; i < LANES; i++) {
        x.vm[i] = p.E_L;
        x.s[i] = x.wait[i] = x.count[i] = 0;
    }
}

struct Step {
    float share, decay, spread, still, counts;
};

static inline void step(Cells& x, const float* __restrict current, const Membrane& p, const Step& q)
{
    VECTOR
    for (int i = 0; i < LANES; i++) {
        const float moved = p.g_L * (p.E_L - x.vm[i]) + current[i] + q.spread * nsa::normal<float>(next(x.random, i));
        const float wait = x.wait[i] - 1, s = x.s[i] - q.decay * x.s[i];
        const bool free = wait <= 0;
        const float vm = free ? x.vm[i] + q.share * moved : x.vm[i];
        const bool fires = free & (vm > p.V_th);
        x.vm[i] = fires ? p.V_reset : vm;
        x.s[i] = fires ? s + p.opening * (1 - s) : s;
        x.wait[i] = fires ? q.still : wait;
        x.count[i] += fires ? q.counts : 0;
    }
}

static Step constants(const Membrane& p)
{
    const float spread = p.sigma * std::sqrt(2 * p.g_L * p.C_m / p.dt);
    return {p.dt / p.C_m, p.dt / p.tau_s, spread, steps_of(p.tau_ref, p.dt), 0};
}

// Sixteen games; gains are (arms, games), counts (2, arms, games).
extern "C" void spiking_games(int n_arms, int n, const Membrane* given, int input_steps, int reading_step, int round_steps,
                              const float* gain, uint64_t* state, float* counts)
{
    const Membrane p = *given;
    Step q = constants(p);
    static thread_local std::vector<Cells> both[2];
    std::vector<float> sums[2];
    for (int of = 0; of < 2; of++) {
        both[of].resize(n_arms * n);
        sums[of].assign(n_arms * LANES, 0);
        for (Cells& x : both[of])
            rest(x, p), seed(x.random, *state);
    }
    alignas(64) float current[2][LANES];
    for (int t = 0; t < round_steps; t++) {
        q.counts = t >= reading_step;
        for (int k = 0; k < n_arms; k++) {
            const float input = p.I_0 + (t < input_steps ? p.I_in : 0);
            float* const sum[2] = {sums[0].data() + k * LANES, sums[1].data() + k * LANES};
            for (int i = 0; i < LANES; i++) {
                current[0][i] = input + p.J_u * sum[1][i] / n;
                current[1][i] = p.I_0 + p.J_v * gain[k * LANES + i] * sum[0][i] / n;
            }
            for (int of = 0; of < 2; of++) {
                alignas(64) float total[LANES] = {};
                for (int j = 0; j < n; j++) {
                    Cells& x = both[of][k * n + j];
                    step(x, current[of], p, q);
                    for (int i = 0; i < LANES; i++)
                        total[i] += x.s[i];
                }
                memcpy(sum[of], total, sizeof total);
            }
        }
    }
    for (int of = 0; of < 2; of++)
        for (int k = 0; k < n_arms; k++)
            for (int i = 0; i < LANES; i++) {
                float& found = counts[(of * n_arms + k) * LANES + i] = 0;
                for (int j = 0; j < n; j++)
                    found += both[of][k * n + j].count[i];
            }
}

// One game; gains are (arms,), counts (2, arms). The neurons of all options follow each other in the lanes.
extern "C" void spiking_game(int n_arms, int n, const Membrane* given, int input_steps, int reading_step, int round_steps,
                             const float* gain, uint64_t* state, float* counts)
{
    const Membrane p = *given;
    Step q = constants(p);
    const int size = n_arms * n, blocks = (size + LANES - 1) / LANES;
    static thread_local std::vector<Cells> both[2];
    std::vector<float> currents[2], s[2];
    for (int of = 0; of < 2; of++) {
        both[of].resize(blocks);
        currents[of].assign(blocks * LANES, 0);
        s[of].assign(blocks * LANES, 0);
        for (Cells& x : both[of])
            rest(x, p), seed(x.random, *state);
    }
    for (int t = 0; t < round_steps; t++) {
        q.counts = t >= reading_step;
        const float input = p.I_0 + (t < input_steps ? p.I_in : 0);
        for (int of = 0; of < 2; of++)
            for (int k = 0; k < n_arms; k++) {
                const float* from = s[1 - of].data() + k * n;
                float lane[4] = {}, sum = 0;  // additions that do not wait for each other
                int i = 0;
                for (; i + 4 <= n; i += 4)
                    for (int j = 0; j < 4; j++)
                        lane[j] += from[i + j];
                for (; i < n; i++)
                    sum += from[i];
                sum += (lane[0] + lane[2]) + (lane[1] + lane[3]);
                const float current = of ? p.I_0 + p.J_v * gain[k] * sum / n : input + p.J_u * sum / n;
                for (i = 0; i < n; i++)
                    currents[of][k * n + i] = current;
            }
        for (int of = 0; of < 2; of++)
            for (int b = 0; b < blocks; b++) {
                step(both[of][b], currents[of].data() + b * LANES, p, q);
                memcpy(s[of].data() + b * LANES, both[of][b].s, sizeof both[of][b].s);
            }
    }
    for (int of = 0; of < 2; of++)
        for (int k = 0; k < n_arms; k++) {
            counts[of * n_arms + k] = 0;
            for (int i = k * n; i < (k + 1) * n; i++)
                counts[of * n_arms + k] += both[of][i / LANES].count[i % LANES];
        }
}

struct Conductances {
    float C_m, C_m_I, g_L, g_L_I, E_L, V_th, V_reset, tau_ref, tau_ref_I, E_E, E_I, tau_A, tau_G, tau_N, opening, Mg, g_x, g_xi,
        g_xI, g_NI, g_AI, g_GE, g_GI, g_u, g_v, ampa, rate_x, rate_xi, rate_in, rate_xI, dt;
};

// e^x by 2^(whole + rest), with a polynomial for the rest: single precision without a call.
static inline float exponential(float x)
{
    const float y = x * 1.44269504f, whole = std::floor(y), r = (y - whole) * 0.69314718f;
    const float e = 1 + r * (1 + r * (.5f + r * (1.f / 6 + r * (1.f / 24 + r * (1.f / 120 + r * (1.f / 720))))));
    const int32_t bits = ((int32_t)whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return e * power;
}

// Poisson samples from 16 random bits, by cumulative probabilities in units of 2^-16.
struct Chances {
    int n = 0;
    int32_t upto[64];
    explicit Chances(double mean)
    {
        double here = std::exp(-mean), sum = here;
        for (int k = 1; sum * 65536 < 65535.5 && n < 60; k++) {
            upto[n++] = (int32_t)(sum * 65536);
            here *= mean / k;
            sum += here;
        }
        while (n % 4)
            upto[n++] = 65536;
    }
    void count(const int32_t* __restrict words, int32_t* __restrict events) const
    {
        for (int k = 0; k < n; k += 4) {
            const int32_t a = upto[k], b = upto[k + 1], c = upto[k + 2], d = upto[k + 3];
            for (int i = 0; i < LANES; i++)
                events[i] += (words[i] >= a) + (words[i] >= b) + (words[i] >= c) + (words[i] >= d);
        }
    }
};

// Sixteen neurons of the model `spiking-ei`, one of each game; inhibitory ones have y in place of s.
struct Conducting {
    alignas(64) float vm[LANES], x_e[LANES], x_i[LANES], s[LANES], z[LANES], wait[LANES], count[LANES];
    Generator random;
};

struct Kind {
    float share, leak, g_x, g_xi, still, jump, counts;
    const Chances *excitation, *inhibition;
};

// Conductances from other neurons: NMDA, AMPA, GABA.
struct Input {
    alignas(64) float n[LANES], a[LANES], g[LANES];
};

static inline void step(Conducting& x, const Input& in, const Conductances& p, const Kind& kind, float decay_s)
{
    const float decay_A = p.dt / p.tau_A, decay_G = p.dt / p.tau_G;
    alignas(64) int32_t words[2][LANES], events[2][LANES] = {};
    VECTOR
    for (int i = 0; i < LANES; i++) {
        const uint32_t word = next(x.random, i);
        words[0][i] = (int32_t)(word & 0xffff);
        words[1][i] = (int32_t)(word >> 16);
    }
    kind.excitation->count(words[0], events[0]);
    if (kind.inhibition)
        kind.inhibition->count(words[1], events[1]);
    VECTOR
    for (int i = 0; i < LANES; i++) {
        const float wait = x.wait[i] - 1, old = x.vm[i];
        const float block = 1 / (1 + p.Mg * exponential(-62.f * old) * (1 / 3.57f));
        const float moved = kind.leak * (p.E_L - old) + (x.x_e[i] + in.a[i] + in.n[i] * block) * (p.E_E - old) +
                            (x.x_i[i] + in.g[i]) * (p.E_I - old);
        const bool free = wait <= 0;
        const float vm = free ? old + kind.share * moved : old;
        const bool fires = free & (vm > p.V_th);
        const float s = x.s[i] - decay_s * x.s[i], z = x.z[i] - decay_A * x.z[i];
        x.x_e[i] += kind.g_x * (float)events[0][i] - decay_A * x.x_e[i];
        x.x_i[i] += kind.g_xi * (float)events[1][i] - decay_G * x.x_i[i];
        x.vm[i] = fires ? p.V_reset : vm;
        x.s[i] = fires ? s + kind.jump * (kind.inhibition ? 1 - s : 1) : s;
        x.z[i] = fires ? z + 1 : z;
        x.wait[i] = fires ? kind.still : wait;
        x.count[i] += fires ? kind.counts : 0;
    }
}

// Sixteen games; gains are (arms, games), counts (2, arms, games).
extern "C" void ei_games(int n_arms, int n, int n_pool, const Conductances* given, int input_steps, int reading_step,
                         int round_steps, const float* gain, uint64_t* state, float* counts)
{
    const Conductances p = *given;
    const Chances with_input(p.dt * (p.rate_x + p.rate_in)), plain(p.dt * p.rate_x), inhibition(p.dt * p.rate_xi),
        of_pool(p.dt * p.rate_xI);
    static thread_local std::vector<Conducting> both[2], pools[2];
    struct Sums {
        alignas(64) float s[LANES], z[LANES];
    };
    std::vector<Sums> sums[2];
    Sums whole[2] = {}, pooled[2] = {};
    for (int of = 0; of < 2; of++) {
        both[of].resize(n_arms * n);
        pools[of].resize(n_pool);
        sums[of].assign(n_arms, Sums());
        for (auto* cells : {&both[of], &pools[of]})
            for (Conducting& x : *cells) {
                const bool excites = cells == &both[of];
                for (int i = 0; i < LANES; i++) {
                    x.vm[i] = p.E_L;
                    x.x_e[i] = excites ? p.g_x * p.rate_x * p.tau_A : p.g_xI * p.rate_xI * p.tau_A;
                    x.x_i[i] = excites ? p.g_xi * p.rate_xi * p.tau_G : 0;
                    x.s[i] = x.z[i] = x.wait[i] = x.count[i] = 0;
                }
                seed(x.random, *state);
            }
    }
    Kind excites = {p.dt / p.C_m, p.g_L, p.g_x, p.g_xi, steps_of(p.tau_ref, p.dt), p.opening, 0, nullptr, &inhibition};
    const Kind inhibits = {p.dt / p.C_m_I, p.g_L_I, p.g_xI, 0, steps_of(p.tau_ref_I, p.dt), 1, 0, &of_pool, nullptr};
    for (int t = 0; t < round_steps; t++) {
        const std::vector<Sums> before[2] = {sums[0], sums[1]};
        const Sums all[2] = {whole[0], whole[1]}, pool[2] = {pooled[0], pooled[1]};
        excites.counts = t >= reading_step;
        for (int of = 0; of < 2; of++) {
            excites.excitation = of == 0 && t < input_steps ? &with_input : &plain;
            whole[of] = pooled[of] = Sums();
            Input in;
            for (int k = 0; k < n_arms; k++) {
                const Sums& from = before[1 - of][k];
                for (int i = 0; i < LANES; i++) {
                    const float strength = of ? p.g_v * gain[k * LANES + i] / n : p.g_u / n;
                    in.n[i] = strength * from.s[i];
                    in.a[i] = p.ampa * strength * from.z[i];
                    in.g[i] = p.g_GE * pool[of].s[i] / n_pool;
                }
                Sums sum = {};
                for (int j = 0; j < n; j++) {
                    Conducting& x = both[of][k * n + j];
                    step(x, in, p, excites, p.dt / p.tau_N);
                    for (int i = 0; i < LANES; i++) {
                        sum.s[i] += x.s[i];
                        sum.z[i] += x.z[i];
                    }
                }
                sums[of][k] = sum;
                for (int i = 0; i < LANES; i++) {
                    whole[of].s[i] += sum.s[i];
                    whole[of].z[i] += sum.z[i];
                }
            }
            for (int i = 0; i < LANES; i++) {
                in.n[i] = p.g_NI * all[of].s[i] / (n * n_arms);
                in.a[i] = p.g_AI * all[of].z[i] / (n * n_arms);
                in.g[i] = p.g_GI * pool[of].s[i] / n_pool;
            }
            for (Conducting& x : pools[of]) {
                step(x, in, p, inhibits, p.dt / p.tau_G);
                for (int i = 0; i < LANES; i++)
                    pooled[of].s[i] += x.s[i];
            }
        }
    }
    for (int of = 0; of < 2; of++)
        for (int k = 0; k < n_arms; k++)
            for (int i = 0; i < LANES; i++) {
                float& found = counts[(of * n_arms + k) * LANES + i] = 0;
                for (int j = 0; j < n; j++)
                    found += both[of][k * n + j].count[i];
            }
}
