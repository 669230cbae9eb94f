// Functions of model strings on which Brian2's targets disagree, with numpy's results: see model/functions.py.
#ifndef NSA_FUNCTIONS
#define NSA_FUNCTIONS
#include <math.h>

// Truncation, floor and ceiling.
static inline double nsa_int(double x) { return trunc(x); }
static inline double nsa_floor(double x) { return floor(x); }
static inline double nsa_ceil(double x) { return ceil(x); }

// 1, 0 or -1; NaN for NaN.
static inline double nsa_sign(double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : (x == 0 ? 0.0 : x)); }

// NaN if any argument is NaN; the upper bound if low > high.
static inline double nsa_clip(double x, double low, double high)
{
    const double above = x >= low || x != x ? x : low;
    return above <= high || above != above ? above : high;
}

// Remainder of a division, with the divisor's sign.
static inline double nsa_mod(double x, double y)
{
    const double rest = fmod(x, y);
    if (y == 0 || rest != rest)
        return rest;
    if (rest == 0)
        return copysign(0.0, y);
    return (y < 0) != (rest < 0) ? rest + y : rest;
}

// Floor division, from the remainder, which is exact: 1 // 0.1 is 9.
static inline double nsa_floordiv(double x, double y)
{
    if (y == 0)
        return x / y;
    const double rest = fmod(x, y);
    const double quotient = (x - rest) / y - (rest != 0 && (y < 0) != (rest < 0) ? 1.0 : 0.0);
    if (quotient == 0)
        return copysign(0.0, x / y);
    const double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

#endif
