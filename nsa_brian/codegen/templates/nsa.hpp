// What generated code rests on, so that compilers can turn its loops into vector code.

// The loop's turns are independent of each other.
#if defined(__clang__)
#define NSA_VECTORISE _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define NSA_VECTORISE _Pragma("GCC ivdep")
#else
#define NSA_VECTORISE
#endif

namespace nsa {

// e^x to within two units in the last place, without a call, so that it can be vectorised by every compiler:
// x = k ln 2 + r with |r| <= ln 2 / 2, a Taylor polynomial for e^r, and 2^k added to the exponent bits.
// It saturates at e^-708 and e^709, where double precision ends.
static inline double exp(double x)
{
    x = x < -708.0 ? -708.0 : (x > 709.0 ? 709.0 : x);
    const double k = rint(x * 1.4426950408889634074);
    const double r = fma(k, -1.90821492927058770002e-10, fma(k, -6.93147180369123816490e-01, x));
    const double r2 = r * r, r4 = r2 * r2;
    const double low = fma(fma(r, 1. / 120, 1. / 24), r2, fma(r, 1. / 6, 1. / 2));
    const double middle = fma(fma(r, 1. / 362880, 1. / 40320), r2, fma(r, 1. / 5040, 1. / 720));
    const double high = fma(fma(r, 1. / 6227020800., 1. / 479001600), r2, fma(r, 1. / 39916800, 1. / 3628800));
    double e = fma(fma(fma(high, r4, middle), r4, low), r2, r) + 1;
    int64_t bits;
    memcpy(&bits, &e, sizeof bits);
    bits += (int64_t)(int32_t)k << 52;
    memcpy(&e, &bits, sizeof e);
    return e;
}

// A truth value as a factor: chosen, where converting an integer would cost as much as the sigmoid's division.
using ::int_;
static inline double int_(bool truth) { return truth ? 1.0 : 0.0; }
// The whole part of a number, which need not fit an int.
static inline double int_(double number) { return trunc(number); }

// The next number of a stream, of mean 0 and variance 1: the sum of four uniform ones (Kloeden and Platen's weak
// Euler scheme asks for no more than the right moments), cut from one turn of Steele et al.'s splitmix64.
static inline double noise(uint64_t& state)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const uint64_t sum = (z & 0xffff) + ((z >> 16) & 0xffff) + ((z >> 32) & 0xffff) + (z >> 48);
    return ((double)(int32_t)sum - 131070.0) * 2.6428997921303014e-05;  // the sum's own standard deviation
}

// The sum of x[0] to x[n - 1]; the array has room up to a multiple of eight. Eight sums side by side, so that they make
// a vector; the order depends on n alone, and so is the same for every game.
static inline double sum(const double* x, int n)
{
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int k = 0;
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++)
            lane[i] += x[k + i];
    if (k < n)
        for (int i = 0; i < 8; i++)
            lane[i] += k + i < n ? x[k + i] : 0.0;
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// The place of the highest of n numbers. With `random`, numbers within `tolerance` of it tie, and of those that do, luck
// (from 0 to 1) takes one; else the first of equals is taken. As select() in model/agreement.py has it.
static inline int64_t highest(const double* x, int64_t n, double luck, double tolerance, bool random)
{
    double lane[8] = {x[0], x[0], x[0], x[0], x[0], x[0], x[0], x[0]};
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++)
            lane[i] = x[k + i] > lane[i] ? x[k + i] : lane[i];
    double most = lane[0];
    for (int i = 1; i < 8; i++)
        most = lane[i] > most ? lane[i] : most;
    for (; k < n; k++)
        most = x[k] > most ? x[k] : most;
    const double bound = random ? most - tolerance : most;
    int64_t left = 0;
    if (random) {
        int64_t tied = 0;
        for (k = 0; k < n; k++)
            tied += x[k] >= bound;
        left = (int64_t)(luck * tied);
    }
    for (k = 0; k < n - 1; k++)
        if (x[k] >= bound && left-- == 0)
            break;
    return k;
}

// The place of the highest of n numbers of which one at a time changes: the one that stood alone above all others does so
// while no other comes near it, and then no pass over all numbers is needed.
struct Highest {
    int64_t place = -1;  // none stood alone
    double rest = 0;     // at least as high as all others

    int64_t of(const double* x, int64_t n, double luck, double tolerance, bool random)
    {
        if (!random)
            tolerance = 0;
        if (place >= 0 && rest < x[place] - tolerance)
            return place;
        place = highest(x, n, luck, tolerance, random);
        const double most = x[place];
        double lane[8];
        for (int i = 0; i < 8; i++)
            lane[i] = -INFINITY;
        int64_t k = 0;
        for (; k + 8 <= n; k += 8)
            for (int i = 0; i < 8; i++) {
                const double other = k + i == place ? -INFINITY : x[k + i];
                lane[i] = other > lane[i] ? other : lane[i];
            }
        for (; k < n; k++)
            lane[0] = k != place && x[k] > lane[0] ? x[k] : lane[0];
        rest = lane[0];
        for (int i = 1; i < 8; i++)
            rest = lane[i] > rest ? lane[i] : rest;
        const int64_t found = place;
        if (!(rest < most - tolerance))
            place = -1;
        return found;
    }

    void changed(int64_t where, double x)
    {
        if (where != place && x > rest)
            rest = x;
    }
};

// What an option will answer with a weight that it may come to have.
struct Forecast {
    int64_t place;
    double w, u, v;
};

// Whether all of n numbers are finite.
static inline bool finite(const double* x, int64_t n)
{
    bool all = true;
    for (int64_t k = 0; k < n; k++)
        all &= fabs(x[k]) <= DBL_MAX;
    return all;
}

// Numbers with those that are none below all others, in `room`.
static inline const double* silence(const double* x, int64_t n, double* room)
{
    for (int64_t k = 0; k < n; k++)
        room[k] = x[k] == x[k] ? x[k] : -INFINITY;
    return room;
}

// Put 0 where a number is not finite.
static inline void mend(double* x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        x[k] = fabs(x[k]) <= DBL_MAX ? x[k] : 0.0;
}

// The cell of a table of equal cells that a value from 0 to 1 lies in.
static inline int64_t cell(double value, int64_t cells)
{
    const int64_t found = (int64_t)(value * cells);
    return found < cells ? found : cells - 1;
}

// Both activities at a place within a cell (0 to 1), by a parabola over two of its parts; the points of v follow n_points
// after those of u. As ResponseTable has it.
static inline void look_up(double place, int64_t parts, const double* points, int64_t n_points, double& u, double& v)
{
    const double y = place * parts;
    int64_t middle = (int64_t)y | 1;
    middle = middle < parts - 1 ? middle : parts - 1;
    const double t = y - middle;
    for (int i = 0; i < 2; i++) {
        const double* p = points + i * n_points + middle;
        (i ? v : u) = p[0] + t / 2 * (p[1] - p[-1] + t * (p[-1] + p[1] - 2 * p[0]));
    }
}

}  // namespace nsa
