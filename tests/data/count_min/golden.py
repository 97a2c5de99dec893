#!/usr/bin/env python3
"""Makes the golden files of this folder from their recipes, with nothing of this project's code: an independent reading of
docs/count_min_format.md and docs/count_min_sketch_state_format.md. Run it here; it rewrites *.hex, and `git diff` must stay empty."""
import struct

MASK = (1 << 64) - 1


def rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


def final_mix(k):
    k ^= k >> 33
    k = k * 0xFF51AFD7ED558CCD & MASK
    k ^= k >> 33
    k = k * 0xC4CEB9FE1A85EC53 & MASK
    return k ^ k >> 33


def murmur(key, seed):
    """h1 of MurmurHash3 x64-128 with both lanes seeded by a 64-bit seed."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = seed
    whole = len(key) // 16 * 16
    for pos in range(0, whole, 16):
        k1, k2 = struct.unpack_from("<QQ", key, pos)
        h1 ^= rotate(k1 * c1 & MASK, 31) * c2 & MASK
        h1 = ((rotate(h1, 27) + h2) * 5 + 0x52DCE729) & MASK
        h2 ^= rotate(k2 * c2 & MASK, 33) * c1 & MASK
        h2 = ((rotate(h2, 31) + h1) * 5 + 0x38495AB5) & MASK
    tail = key[whole:]
    k1, k2 = int.from_bytes(tail[:8], "little"), int.from_bytes(tail[8:], "little")
    h2 ^= rotate(k2 * c2 & MASK, 33) * c1 & MASK
    h1 ^= rotate(k1 * c1 & MASK, 31) * c2 & MASK
    h1 ^= len(key)
    h2 ^= len(key)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    h1, h2 = final_mix(h1), final_mix(h2)
    return (h1 + h2) & MASK


def row_seeds(scheme, seed, rows):
    modulus = 2**31 - 1
    draws = modulus - 1
    multiplier = {"libstdcxx": 16807, "libcxx": 48271}[scheme]
    x = seed % modulus or 1

    def draw():
        nonlocal x
        x = multiplier * x % modulus
        return x - 1

    result = []
    for _ in range(rows):
        if scheme == "libstdcxx":
            while True:
                while True:
                    fifth = draw()
                    while fifth >= 5 * 429496729:
                        fifth = draw()
                    middle = draws * (fifth // 429496729) + draw()
                    if middle <= 8589934600:
                        break
                value = draws * middle + draw()
                if value <= MASK:
                    break
        else:
            value = 0
            for bits in (21, 21, 22):
                end = draws >> bits << bits
                drawn = draw()
                while drawn >= end:
                    drawn = draw()
                value = value << bits | drawn & (1 << bits) - 1
        result.append((value + seed) & MASK)
    return result


CODES = {"UInt8": "B", "Int16": "h", "UInt64": "Q", "Int64": "q", "Float32": "f", "Float64": "d"}


def image(weight_type, rows, buckets, items, seed=9001, scheme="libstdcxx"):
    header = struct.pack(
        "<BBBBIIBHB", 2, 1, 18, 0 if items else 1, 0, buckets, rows, murmur(struct.pack("<Q", seed), 0) & 0xFFFF, 0)
    if not items:
        return header
    cells = [0] * (rows * buckets)
    for key, weight in items:
        for row, row_seed in enumerate(row_seeds(scheme, seed, rows)):
            cells[row * buckets + murmur(key, row_seed) % buckets] += weight
    code = CODES[weight_type]
    return header + struct.pack("<" + code, sum(abs(w) for _, w in items)) + struct.pack("<%d%s" % (len(cells), code), *cells)


def varuint(n):
    result = b""
    while n >= 128:
        result += bytes([n & 127 | 128])
        n >>= 7
    return result + bytes([n])


def state(weight_type, rows, buckets, items, seed=9001, scheme="libstdcxx"):
    weights = {}
    for key, weight in items:
        weights[key] = weights.get(key, 0) + weight
    code = CODES[weight_type]
    entries = b"".join(varuint(len(k)) + k + struct.pack("<" + code, w) for k, w in sorted(weights.items()))
    if len(entries) <= min(16 + 8 * (1 + rows * buckets), 4096):
        total = struct.pack("<" + code, sum(abs(w) for _, w in items)) if weights else b""
        return b"\0" + varuint(len(weights)) + total + entries
    table = image(weight_type, rows, buckets, items, seed, scheme)
    return bytes([{"libstdcxx": 1, "libcxx": 2}[scheme]]) + varuint(len(table)) + table


def numbers(values):
    return [(struct.pack("<Q", v), i + 1) for i, v in enumerate(values)]


WORDS = [(b"alpha", 1), (b"beta", 2), (b"gamma", 3), (b"delta", 4)]
GOLDEN = {
    "image_empty_1x5": image("UInt64", 1, 5, []),
    "image_u64_3x8_libstdcxx": image("UInt64", 3, 8, numbers(range(10))),
    "image_u64_3x8_libcxx": image("UInt64", 3, 8, numbers(range(10)), scheme="libcxx"),
    "image_i64_2x5_negative": image("Int64", 2, 5, [(b"a", 5), (b"b", -7), (b"", 3)]),
    "image_f64_2x4_seed77": image("Float64", 2, 4, [(b"x", 0.5), (b"y", 0.25), (b"x", -0.5)], seed=77),
    "image_u8_2x3": image("UInt8", 2, 3, [(b"k", 200), (b"l", 55)]),
    "image_i16_2x3": image("Int16", 2, 3, [(b"k", -3000), (b"l", 55)]),
    "image_f32_2x3": image("Float32", 2, 3, [(b"k", 1.5), (b"l", 2.25)]),
    "state_never_fed": state("UInt64", 2, 16, []),
    "state_small_u64": state("UInt64", 2, 16, numbers([1, 256])),
    "state_small_i64_strings": state("Int64", 2, 16, [(b"b", -7), (b"a", 3), (b"", 2), (b"a", -3)]),
    "state_small_f64_strings": state("Float64", 2, 16, [(b"x", 0.5), (b"y", 0.25), (b"x", 0.5)]),
    "state_sketch_u64_libstdcxx": state("UInt64", 1, 3, WORDS),
    "state_sketch_u64_libcxx": state("UInt64", 1, 3, WORDS, scheme="libcxx"),
}

if __name__ == "__main__":
    for name, data in GOLDEN.items():
        with open(name + ".hex", "w") as out:
            text = data.hex()
            out.write("".join(text[i : i + 64] + "\n" for i in range(0, len(text), 64)))
