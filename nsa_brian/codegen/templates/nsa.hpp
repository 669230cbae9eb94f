// Support code of the templates, written so that compilers can vectorise the loops.

// The iterations of the loop are independent.
#if defined(__clang__)
#define NSA_VECTORISE _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define NSA_VECTORISE _Pragma("GCC ivdep")
#else
#define NSA_VECTORISE
#endif

// Memory barrier after such a loop. GCC 12 at -O3 can lose stores of a loop in a time step: neurons never fired.
#ifdef __GNUC__
#define NSA_STORED __asm__ volatile("" ::: "memory")
#else
#define NSA_STORED
#endif

// Whether single numbers of a vector can be stored, so that a loop that stores under a condition consists of vectors.
#if defined(__AVX2__)
#define NSA_MASKED_STORES true
#else
#define NSA_MASKED_STORES false
#endif

// No inlining: many copies of the function would slow down compilation without making the code faster.
#if defined(_MSC_VER)
#define NSA_APART __declspec(noinline)
#else
#define NSA_APART __attribute__((noinline))
#endif

// Floating-point type of state variables.
#ifndef NSA_REAL
#define NSA_REAL double
#endif

#include <limits.h>
#include <time.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace nsa {

// Treats subnormal numbers as 0 while it exists, where the processor can: decaying variables end as such numbers, of
// which some processors take a hundred times as long.
struct NoSubnormals {
#if defined(__SSE2__)
    const unsigned before = _mm_getcsr();
    NoSubnormals() { _mm_setcsr(before | 0x8040); }
    ~NoSubnormals() { _mm_setcsr(before); }
#endif
};

// Address of a numpy array's data. Numpy's own declarations for Cython take a second longer to compile.
static inline void* address(PyObject* array) { return PyArray_DATA((PyArrayObject*)array); }

// Copy the first `left` numbers of an array, padded to `room` with the last one.
template <typename T> NSA_APART void take(T* to, const T* from, int left, int room)
{
    memcpy(to, from, left * sizeof(T));
    for (int i = left; i < room; i++)
        to[i] = from[left - 1];
}

// Copy the numbers at the indices `which`, which are all equal if they are from `one` set.
template <typename T> NSA_APART void take(T* __restrict to, const T* from, const int32_t* which, bool one, int room)
{
    const T first = from[which[0]];
    if (one)
        for (int i = 0; i < room; i++)
            to[i] = first;
    else
        for (int i = 0; i < room; i++)
            to[i] = from[which[i]];
}

// Whether n numbers are equal.
static inline bool equal(const int32_t* x, int n)
{
    int32_t other = 0;
    for (int i = 0; i < n; i++)
        other |= x[i] ^ x[0];
    return other == 0;
}

// The first of some steps after `step`, at most `next`.
NSA_APART static int next_border(const int32_t* borders, int n, int step, int next)
{
    for (int i = 0; i < n; i++) {
        const int32_t later = borders[i] > step ? borders[i] : INT_MAX;
        next = later < next ? later : next;
    }
    return next;
}

// Copy the numbers of units whose round ends at a step.
template <typename T> NSA_APART void put(T* __restrict to, const T* __restrict from, const int32_t* ends, int step, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = ends[i] == step ? from[i] : to[i];
}

// exp() below reads an integer from the bits of a rounded sum. With other rounding it would be wrong without an error.
// Evaluation method 16 is 0 for all types but _Float16.
#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16)
#error "every operation must be rounded as in IEEE 754"
#endif

// e^x to within two units in the last place, without a call, so that every compiler can vectorise it:
// x = k ln 2 + r with |r| <= ln 2 / 2, a Taylor polynomial for 2 e^r, times 2^(k - 1), whose exponent fits for every
// finite result. Adding 1.5 * 2^52 rounds to the integer k and leaves it, and with 1022 the exponent of 2^(k - 1), in
// the lowest bits. As usual, e^x is infinite above 709.78 and NaN for NaN; below -708, near subnormal numbers, it is 0.
static inline double exp(double x)
{
    const double within = x > 710.0 ? 710.0 : x;
    const double shifted = within * 1.4426950408889634074 + 6755399441056766.0;  // 1.5 * 2^52 + 1022
    const double k = shifted - 6755399441056766.0;
    const double r = fma(k, -1.90821492927058770002e-10, fma(k, -6.93147180369123816490e-01, within));
    const double r2 = r * r, r4 = r2 * r2;
    const double low = fma(fma(r, 1. / 120, 1. / 24), r2, fma(r, 1. / 6, 1. / 2));
    const double middle = fma(fma(r, 1. / 362880, 1. / 40320), r2, fma(r, 1. / 5040, 1. / 720));
    const double high = fma(fma(r, 1. / 6227020800., 1. / 479001600), r2, fma(r, 1. / 39916800, 1. / 3628800));
    const double e = fma(fma(fma(fma(high, r4, middle), r4, low), r2, r), 2.0, 2.0);
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    const double found = e * power;
    return x < -708.0 ? 0.0 : found;
}

// The same in single precision, infinite above 88.72 and 0 below -87.
static inline float exp(float x)
{
    const float within = x > 89.0f ? 89.0f : x;
    const float shifted = within * 1.44269504f + 12583038.0f;  // 1.5 * 2^23 + 126
    const float k = shifted - 12583038.0f;
    const float r = (within - k * 0.693359375f) - k * -2.12194440e-4f;
    const float low = (r * (1.f / 120) + 1.f / 24) * (r * r) + (r * (1.f / 6) + 1.f / 2);
    const float e = (((r * (1.f / 5040) + 1.f / 720) * (r * r * r * r) + low) * (r * r) + r) * 2.0f + 2.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    const float found = e * power;
    return x < -87.0f ? 0.0f : found;
}

// A truth value as a factor: by selection, since converting an integer would cost as much as the sigmoid's division.
static inline NSA_REAL int_(bool truth) { return truth ? 1 : 0; }

// The next uniform random number of a stream, in [0, 1).
static inline double uniform(uint64_t& state)
{
    return (double)(random_bits(state) >> 11) * 1.1102230246251565e-16;  // 2^-53
}

// Cumulative Poisson probabilities of 0, 1, 2, ..., in units of 2^-31 and less one unit, as far as they differ from 1;
// padded to a multiple of four with a value that no sample exceeds.
static inline void chances(double mean, std::vector<int32_t>& found)
{
    found.clear();
    double here = ::exp(-mean), upto = here;
    for (int k = 1; upto * 2147483648.0 < 2147483647.5 && k < 1000; k++) {
        found.push_back((int32_t)((int64_t)(upto * 2147483648.0) - 1));
        here *= mean / k;
        upto += here;
    }
    while (found.size() % 4)
        found.push_back(2147483647);
}

// The next 32 bits of n neurons, of which two share a stream; n is even.
static inline void draw(uint64_t* __restrict streams, uint32_t* __restrict bits, int64_t n)
{
    uint64_t words[32];
    for (int64_t first = 0; first < n; first += 64) {
        const int64_t half = (n - first < 64 ? n - first : 64) / 2;
        NSA_VECTORISE
        for (int64_t i = 0; i < half; i++)
            words[i] = random_bits(streams[first / 2 + i]);
        memcpy(bits + first, words, half * sizeof(uint64_t));  // the lower half first, on all processors of today
    }
}

// Poisson samples, each from 31 random bits, by the cumulative probabilities.
template <typename T> static inline void count_events(
    const uint32_t* __restrict bits, T* __restrict found, int64_t n, const std::vector<int32_t>& chances)
{
    int32_t halves[64], events[64];
    for (int64_t first = 0; first < n; first += 64) {
        const int64_t room = n - first < 64 ? n - first : 64;
        int32_t most = 0;
        for (int64_t i = 0; i < room; i++) {
            halves[i] = (int32_t)(bits[first + i] >> 1);  // comparing integers with a sign is faster
            most = halves[i] > most ? halves[i] : most;
            events[i] = 0;
        }
        for (size_t k = 0; k < chances.size() && most > chances[k]; k += 4) {  // the rest is beyond all samples
            const int32_t a = chances[k], b = chances[k + 1], c = chances[k + 2], d = chances[k + 3];
            for (int64_t i = 0; i < room; i++)
                events[i] += (halves[i] > a) + (halves[i] > b) + (halves[i] > c) + (halves[i] > d);
        }
        for (int64_t i = 0; i < room; i++)
            found[first + i] = (T)events[i];
    }
}

// The sum of x[0] to x[n - 1], as eight partial sums that form a vector; the array is padded to a multiple of eight.
// The order of summation depends only on n, so it is the same for every game. Indices have 64 bits: those of 32 may wrap
// around (-fwrapv is among Python's flags), and GCC makes slower loops of them.
static inline double sum(const double* x, int64_t n)
{
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++)
            lane[i] += x[k + i];
    if (k < n)
        for (int i = 0; i < 8; i++)
            lane[i] += k + i < n ? x[k + i] : 0.0;
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// Four numbers added lane by lane: a vector register where the compiler knows the type, since GCC makes single
// additions of a loop over four numbers.
template <typename T> struct Four {
#if defined(__GNUC__)
    T lane __attribute__((vector_size(4 * sizeof(T))));
    void add(const Four& other) { lane += other.lane; }
#else
    T lane[4];
    void add(const Four& other)
    {
        for (int i = 0; i < 4; i++)
            lane[i] += other.lane[i];
    }
#endif
    void add(const T* x)
    {
        Four other;
        memcpy(&other.lane, x, sizeof other.lane);
        add(other);
    }
};

// The sum of the neurons of an option, as two vectors of four partial sums.
template <typename T> static inline T total(const T* x, int64_t n)
{
    Four<T> low = {{0, 0, 0, 0}}, high = {{0, 0, 0, 0}};
    T rest = 0;
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        low.add(x + k);
        high.add(x + k + 4);
    }
    if (k + 4 <= n) {
        low.add(x + k);
        k += 4;
    }
    for (; k < n; k++)
        rest += x[k];
    low.add(high);
    return ((low.lane[0] + low.lane[2]) + (low.lane[1] + low.lane[3])) + rest;
}

// Whether any number of a vector of 64 bytes is not 0.
static inline bool any(const void* x)
{
    uint64_t words[8], found = 0;
    memcpy(words, x, sizeof words);
    for (int i = 0; i < 8; i++)
        found |= words[i];
    return found;
}

// The maximum of n numbers.
static inline double most_of(const double* x, int64_t n)
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
    return most;
}

// How many of n numbers are at least `bound`.
static inline int64_t count(const double* x, int64_t n, double bound)
{
    int64_t found = 0;
    for (int64_t k = 0; k < n; k++)
        found += x[k] >= bound;
    return found;
}

// The index of the number that is at least `bound` and has `before` such numbers before it.
static inline int64_t place_of(const double* x, int64_t n, double bound, int64_t before)
{
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        int64_t here = 0;
        for (int i = 0; i < 8; i++)
            here += x[k + i] >= bound;
        if (here > before)
            break;
        before -= here;
    }
    for (; k < n - 1; k++)
        if (x[k] >= bound && before-- == 0)
            break;
    return k;
}

// The index of the maximum of n numbers. With `random`, numbers within `tolerance` of it tie, and the uniform random
// number `luck` selects one of them; otherwise the first maximum. See select() in model/agreement.py.
static inline int64_t highest(const double* x, int64_t n, double luck, double tolerance, bool random)
{
    const double most = most_of(x, n);
    return random ? place_of(x, n, most - tolerance, (int64_t)(luck * count(x, n, most - tolerance)))
                  : place_of(x, n, most, 0);
}

// The same for numbers that change one at a time. It avoids passes over all numbers by storing either the single
// maximum and an upper bound of the others, or the number of ties.
class Highest {
public:
    int64_t of(const double* x, int64_t n, double luck, double tolerance, bool random)
    {
        tolerance_ = random ? tolerance : 0;
        if (known_ == ALONE && !(rest_ < x[place_] - tolerance_))
            known_ = NOTHING;
        if (known_ == NOTHING)
            look(x, n);
        if (known_ == ALONE)
            return place_;
        return place_of(x, n, most_ - tolerance_, random ? (int64_t)(luck * tied_) : 0);
    }

    // Update after a number has changed.
    void changed(int64_t place, double old, double now)
    {
        if (known_ == ALONE) {
            if (place != place_ && now > rest_)
                rest_ = now;
        } else if (known_ == TIES) {
            const double bound = most_ - tolerance_;
            if (now > most_) {
                known_ = most_ < now - tolerance_ ? ALONE : NOTHING;
                place_ = place;
                rest_ = most_;
                return;
            }
            holders_ += (now == most_) - (old == most_);
            tied_ += (now >= bound) - (old >= bound);
            if (holders_ == 0 || tied_ == 1)
                known_ = NOTHING;
        }
    }

private:
    void look(const double* x, int64_t n)
    {
        most_ = most_of(x, n);
        tied_ = count(x, n, most_ - tolerance_);
        if (tied_ > 1) {
            holders_ = count(x, n, most_);
            known_ = TIES;
            return;
        }
        known_ = ALONE;
        place_ = place_of(x, n, most_, 0);
        rest_ = -INFINITY;
        if (place_ > 0)
            rest_ = most_of(x, place_);
        if (place_ + 1 < n) {
            const double behind = most_of(x + place_ + 1, n - place_ - 1);
            rest_ = behind > rest_ ? behind : rest_;
        }
    }

    enum { NOTHING, ALONE, TIES } known_ = NOTHING;
    int64_t place_ = 0;        // index of the single maximum
    double rest_ = 0;          // upper bound of the other numbers
    double most_ = 0;          // the maximum
    int64_t holders_ = 0;      // how many numbers equal it
    int64_t tied_ = 0;         // how many numbers tie with it
    double tolerance_ = 0;
};

// Which of two ways to do the same work in every round takes less time: both are timed in a few rounds now and then.
class FasterWay {
public:
    bool is_first() const { return round_ < TRIALS || (round_ >= 2 * TRIALS && least_[0] <= least_[1]); }

    void begin()
    {
        round_ = (round_ + 1) % PERIOD;
        if (round_ == 0)
            least_[0] = least_[1] = INFINITY;
        if (round_ < 2 * TRIALS)
            start_ = now();
    }

    void end()
    {
        if (round_ >= 2 * TRIALS)
            return;
        const double taken = now() - start_;
        double& least = least_[round_ < TRIALS ? 0 : 1];
        least = taken < least ? taken : least;
    }

private:
    static double now()
    {
        timespec time;
        timespec_get(&time, TIME_UTC);
        return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    }

    enum { TRIALS = 3, PERIOD = 120 };
    int round_ = -1;
    double start_ = 0, least_[2] = {INFINITY, INFINITY};
};

// The response of an option to a predicted weight.
struct Forecast {
    int64_t place;
    double w, u, v;
};

// The bits of a number, and the number of some bits.
static inline int64_t bits(double x)
{
    int64_t found;
    memcpy(&found, &x, sizeof found);
    return found;
}
static inline double number(int64_t bits)
{
    double found;
    memcpy(&found, &bits, sizeof found);
    return found;
}

// Whether all of n numbers are finite.
static inline bool finite(const double* x, int64_t n)
{
    uint64_t found = 0;  // adding to an exponent of ones only carries into the sign
    for (int64_t k = 0; k < n; k++)
        found |= ((uint64_t)bits(x[k]) & 0x7FF0000000000000u) + 0x0010000000000000u;
    return !(found >> 63);
}

// A copy of the numbers in `room`, with NaN replaced by -infinity.
static inline const double* silence(const double* x, int64_t n, double* room)
{
    for (int64_t k = 0; k < n; k++)
        room[k] = x[k] == x[k] ? x[k] : -INFINITY;
    return room;
}

// Replace non-finite numbers by 0.
static inline void replace_non_finite(double* x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        x[k] = fabs(x[k]) <= DBL_MAX ? x[k] : 0.0;
}

// Eight numbers side by side. Compilers rarely vectorise comparisons of so few, so they are written as vectors.
#if defined(__GNUC__)
typedef double Eight __attribute__((vector_size(64)));
typedef int64_t Which __attribute__((vector_size(64)));  // -1 where something is true
#else
struct Which {
    int64_t lane[8];
    int64_t& operator[](int i) { return lane[i]; }
    int64_t operator[](int i) const { return lane[i]; }
    Which& operator|=(const Which& other)
    {
        for (int i = 0; i < 8; i++)
            lane[i] |= other.lane[i];
        return *this;
    }
};
#endif

// Which of eight numbers are not finite.
static inline Which non_finite(const double* x)
{
#if defined(__GNUC__)
    Which found;
    memcpy(&found, x, sizeof found);
    return (found & 0x7FF0000000000000) == 0x7FF0000000000000;
#else
    Which found;
    for (int i = 0; i < 8; i++)
        found[i] = fabs(x[i]) <= DBL_MAX ? 0 : -1;
    return found;
#endif
}

// Which of eight numbers differ in their bits.
static inline Which differ(const double* x, const double* y)
{
#if defined(__GNUC__)
    Which of_x, of_y;
    memcpy(&of_x, x, sizeof of_x);
    memcpy(&of_y, y, sizeof of_y);
    return of_x != of_y;
#else
    Which found;
    for (int i = 0; i < 8; i++)
        found[i] = bits(x[i]) == bits(y[i]) ? 0 : -1;
    return found;
#endif
}

// Which of eight numbers are outside of [0, 1).
static inline Which outside(const double* x)
{
#if defined(__GNUC__)
    Eight of_x;
    memcpy(&of_x, x, sizeof of_x);
    return ~((of_x >= 0) & (of_x < 1));
#else
    Which found;
    for (int i = 0; i < 8; i++)
        found[i] = x[i] >= 0 && x[i] < 1 ? 0 : -1;
    return found;
#endif
}

// Eight flags as bytes of a word: 1 where something is true.
static inline uint64_t flags(const Which& which)
{
    uint64_t found = 0;
#if defined(__GNUC__)
    typedef int8_t Bytes __attribute__((vector_size(8)));
    const Bytes bytes = __builtin_convertvector(which, Bytes);
    memcpy(&found, &bytes, sizeof found);
    found &= 0x0101010101010101u;
#else
    for (int i = 0; i < 8; i++)
        found |= which[i] ? (uint64_t)1 << 8 * i : 0;
#endif
    return found;
}

// Set, or clear, those of eight flags in an array, which is padded to whole words.
static inline void set_flags(int8_t* flags, uint64_t which)
{
    uint64_t word;
    memcpy(&word, flags, sizeof word);
    word |= which;
    memcpy(flags, &word, sizeof word);
}
static inline void clear_flags(int8_t* flags, uint64_t which)
{
    uint64_t word;
    memcpy(&word, flags, sizeof word);
    word &= ~which;
    memcpy(flags, &word, sizeof word);
}

// Select an index with a probability proportional to its weight, by a uniform random number; -1 if no weight is above 0.
// Weights are added in order. If all are 0 or 1, counting them does the same, and faster.
static inline int64_t pick(double* weights, int64_t n, double luck)
{
    int64_t others = 0;
    for (int64_t k = 0; k < n; k++)
        others += weights[k] > 0 && weights[k] != 1;
    if (others == 0) {
        const int64_t total = count(weights, n, 1);
        return total ? place_of(weights, n, 1, (int64_t)(luck * (double)total)) : -1;
    }
    double total = 0;
    for (int64_t k = 0; k < n; k++)
        weights[k] = total += weights[k] > 0 ? weights[k] : 0;
    int64_t k = 0;
    while (k < n - 1 && weights[k] <= luck * total)
        k++;
    return k;
}

// Set n numbers to a value.
template <typename T, typename V> static inline void fill(T* x, int64_t n, V value)
{
    for (int64_t k = 0; k < n; k++)
        x[k] = value;
}

// The slot of a key of n integers in a hash table; the number of slots is a power of two.
static inline int64_t slot(const int64_t* key, int n, int64_t slots)
{
    uint64_t hash = 0;
    for (int i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)key[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (int64_t)(hash & (uint64_t)(slots - 1));
}

// The first index from `begin` to `end` with a flag of 1; -1 if there is none.
static inline int64_t next(const int8_t* flags, int64_t begin, int64_t end)
{
    const void* found = begin < end ? memchr(flags + begin, 1, end - begin) : nullptr;
    return found ? (const int8_t*)found - flags : -1;
}

// The start of the next block of eight options, from `begin`, with the chosen option or one that has not settled; n if
// there is none.
static inline int64_t next_block(const int8_t* settled, int64_t begin, int64_t n, int64_t chosen)
{
    const void* found = memchr(settled + begin, 0, n - begin);
    int64_t k = found ? (const int8_t*)found - settled : n;
    if (chosen >= begin && chosen < k)
        k = chosen;
    return k < n ? k & ~(int64_t)7 : n;
}

// The index of the cell, of equal cells in [0, 1], that contains a value; -1 if it is outside.
static inline int64_t cell(double value, int64_t cells)
{
    if (!(value >= 0 && value <= 1))
        return -1;
    const int64_t found = (int64_t)(value * cells);
    return found < cells ? found : cells - 1;
}

// Both activities at a position (0 to 1) in a cell, interpolated by a parabola over two parts as in ResponseTable.
static inline void look_up(double place, int64_t parts, const double* points, double& u, double& v)
{
    const double y = place * parts;
    int64_t middle = (int64_t)y | 1;
    middle = middle < parts - 1 ? middle : parts - 1;
    const double t = y - middle;
    for (int i = 0; i < 2; i++) {
        const double* p = points + 2 * middle + i;
        (i ? v : u) = p[0] + t / 2 * (p[2] - p[-2] + t * (p[-2] + p[2] - 2 * p[0]));
    }
}

// The place of the cell of a CellTable that contains a point; -2 if its cell is too coarse or it is outside, -3 if its
// cell is not computed. The point, in units of its variables, becomes the position in the cell, from 0 to 4. See
// CellTable._cell and _slot.
template <int D>
static inline int64_t find_cell(const int64_t* keys, const int64_t* places, int64_t slots, int64_t set, int64_t cells,
                                int levels, double* point, double* low, int& level)
{
    const int64_t range = (int64_t)1 << (48 / D - 1);
    for (int d = 0; d < D; d++)
        if (!(fabs(point[d] * (double)(cells << (levels - 1))) < range))
            return -2;
    for (level = 0; level < levels; level++) {
        uint64_t key = set * 16 + level;
        double parts[D];
        for (int d = 0; d < D; d++) {
            const double x = point[d] * (double)(cells << level);
            low[d] = floor(x);
            parts[d] = 4 * (x - low[d]);
            key = key * (2 * range) + (uint64_t)((int64_t)low[d] + range);
        }
        int64_t slot = (int64_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (slots - 1);
        while (keys[slot] != (int64_t)key) {
            if (keys[slot] < 0)
                return -3;
            slot = (slot + 1) & (slots - 1);
        }
        if (places[slot] != -1) {  // not divided
            memcpy(point, parts, sizeof parts);
            return places[slot];
        }
    }
    return -2;
}

// The responses of eight options, of D variables, along variable L. Within a cell of the table a response is a polynomial
// of L, which is kept while the other variables stay: in most rounds one variable of an option changes, or none.
template <int D, int L> class Lines {
public:
    Lines()
    {
        for (int i = 0; i < 8; i++)
            set(i, NAN, NAN);
    }

    // Which options have left their lines, given the coordinates (D, 8).
    Which left(const double (*at)[8]) const
    {
        alignas(64) double part[8];
        for (int i = 0; i < 8; i++)
            part[i] = at[L][i] * cells_[i] - low_[i];
        Which found = outside(part);
        for (int d = 0; d < D; d++)
            if (d != L)
                found |= differ(at[d], at_[d]);
        return found;
    }

    // The line of option i in a cell, whose corner is `low`, through its points; `place` is the position in the cell.
    void set(int i, const double (*at)[8], const double* points, const double* place, double low, double cells)
    {
        double weights[D][5];
        for (int d = 0; d < D; d++) {
            const double a = place[d], b = a - 1, c = a - 2, e = a - 3, f = a - 4;
            const double ab = a * b, ef = e * f, abc = ab * c, cef = c * ef;
            weights[d][0] = b * cef * (1. / 24);
            weights[d][1] = a * cef * (-1. / 6);
            weights[d][2] = ab * ef * (1. / 4);
            weights[d][3] = abc * f * (-1. / 6);
            weights[d][4] = abc * e * (1. / 24);
            at_[d][i] = at[d][i];
        }
        // The other variables, and the distance of points along a variable.
        enum { FIRST = L == 0 ? 1 : 0, SECOND = L == 2 ? 1 : 2 };
        const int strides[] = {D == 3 ? 50 : 10, D == 3 ? 10 : 2, 2};
        double along[2][5] = {{0}};
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < (D == 3 ? 5 : 1); k++) {
                const double weight = D == 3 ? weights[FIRST][j] * weights[SECOND % D][k] : weights[FIRST][j];
                const double* from = points + strides[FIRST] * j + (D == 3 ? strides[SECOND] * k : 0);
                for (int m = 0; m < 5; m++) {
                    along[0][m] += weight * from[strides[L] * m];
                    along[1][m] += weight * from[strides[L] * m + 1];
                }
            }
        for (int j = 0; j < 2; j++) {
            const double a = along[j][0], b = along[j][1], c = along[j][2], d = along[j][3], e = along[j][4];
            powers_[j][0][i] = c;
            powers_[j][1][i] = (a - 8 * b + 8 * d - e) * (1. / 12);
            powers_[j][2][i] = (16 * (b + d) - (a + e) - 30 * c) * (1. / 24);
            powers_[j][3][i] = (2 * (b - d) - a + e) * (1. / 12);
            powers_[j][4][i] = (a + e - 4 * (b + d) + 6 * c) * (1. / 24);
        }
        low_[i] = low, cells_[i] = cells;
    }

    // A response of option i that holds at its present coordinates only: whatever they are, it has left its line.
    void set(int i, double u, double v)
    {
        for (int k = 0; k < 5; k++) {
            powers_[0][k][i] = k ? 0 : u;
            powers_[1][k][i] = k ? 0 : v;
        }
        low_[i] = 1, cells_[i] = 0;
        for (int d = 0; d < D; d++)
            at_[d][i] = NAN;
    }

    // The line of option i is that of another one.
    void set(int i, const Lines& other, int j)
    {
        for (int k = 0; k < 5; k++) {
            powers_[0][k][i] = other.powers_[0][k][j];
            powers_[1][k][i] = other.powers_[1][k][j];
        }
        low_[i] = other.low_[j], cells_[i] = other.cells_[j];
        for (int d = 0; d < D; d++)
            at_[d][i] = other.at_[d][j];
    }

    // Whether option i's line began at these coordinates.
    bool begins(int i, const double (*at)[8], int j) const
    {
        bool same = true;
        for (int d = 0; d < D; d++)
            same &= at_[d][i] == at[d][j];
        return same;
    }

    // The responses of all eight.
    void look_up(const double (*at)[8], double* u, double* v) const
    {
        for (int i = 0; i < 8; i++) {
            const double t = 4 * (at[L][i] * cells_[i] - low_[i]) - 2;
            u[i] = (((powers_[0][4][i] * t + powers_[0][3][i]) * t + powers_[0][2][i]) * t + powers_[0][1][i]) * t + powers_[0][0][i];
            v[i] = (((powers_[1][4][i] * t + powers_[1][3][i]) * t + powers_[1][2][i]) * t + powers_[1][1][i]) * t + powers_[1][0][i];
        }
    }

private:
    double at_[D][8];         // the coordinates at which the line began
    double low_[8];           // lower end of the cell along L, in cells
    double cells_[8];         // cells in a unit of L
    double powers_[2][5][8];  // coefficients for u and v, of powers of the position in the cell, from -2 to 2
};

}  // namespace nsa
