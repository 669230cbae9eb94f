// Random numbers of neurons: streams of SplitMix64 (Steele, Lea and Flood, 2014). numpy draws the same in streams.py.
namespace nsa {

// The next 64 bits of a stream.
static inline uint64_t random_bits(uint64_t& state)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The next number of a stream, of mean 0 and variance 1: the sum of four uniform ones (Kloeden and Platen's weak
// Euler scheme asks for no more than the right moments), cut from 64 bits.
static inline double noise(uint64_t& state)
{
    const uint64_t z = random_bits(state);
    const uint64_t sum = (z & 0xffff) + ((z >> 16) & 0xffff) + ((z >> 32) & 0xffff) + (z >> 48);
    return ((double)(int32_t)sum - 131070.0) * 2.6428997921303014e-05;  // the sum's own standard deviation
}

}  // namespace nsa

