// Random streams of neurons: SplitMix64 (Steele, Lea and Flood, 2014). streams.py draws the same numbers in numpy.
namespace nsa {

// The next 64 bits of a stream.
static inline uint64_t random_bits(uint64_t& state)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The next sample of a single neuron's stream, of mean 0 and variance 1: the sum of four uniform 16-bit integers (the
// weak Euler scheme of Kloeden and Platen only needs the right moments).
static inline double noise(uint64_t& state)
{
    const uint64_t z = random_bits(state);
    const uint64_t sum = (z & 0xffff) + ((z >> 16) & 0xffff) + ((z >> 32) & 0xffff) + (z >> 48);
    return ((double)(int32_t)sum - 131070.0) * 2.6428997921303014e-05;  // one over the sum's standard deviation
}

// An approximately normal number from 32 random bits: the sum of four uniform bytes, corrected by an odd polynomial so
// that the moments up to the seventh are those of a normal number. It lies within 4.53.
template <typename T> static inline T normal(uint32_t bits)
{
    const int32_t sum = (bits & 0xff) + ((bits >> 8) & 0xff) + ((bits >> 16) & 0xff) + (bits >> 24);
    const T x = (T)(sum - 510), y = x * x;
    return x * ((T)0.0065731052138751234 + y * ((T)2.727881712491698e-10 + y * (T)3.305909698978774e-14));
}

}  // namespace nsa

