// A decision round of many U-V pairs by Euler steps, written by hand for speed: the limit that generated code is
// measured against. All pairs share one parameter set; steps and parameters are in the unit of the time step.
#include <cmath>
#include <cstdint>
#include <cstring>

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

// The same for one game whose options inhibit each other: every neuron of U receives -inhibition times the responses of
// all others of U. The arrays have room up to a multiple of eight, so that every loop is whole vectors.
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
