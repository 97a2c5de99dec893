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


def limit(size):
    return min(size, 4096)


def image_size(rows, buckets):
    return 16 + 8 * (1 + rows * buckets)


def small(kind, weights, total):
    entries = b"".join(varuint(len(k)) + k + struct.pack("<Q", w) for k, w in sorted(weights.items()))
    return bytes([kind]) + varuint(len(weights)) + (struct.pack("<Q", total) if weights else b"") + entries


def entries_size(weights):
    return sum(len(varuint(len(key))) + len(key) + 8 for key in weights)


class Table:
    """Cells that are fed one by one, by conservative update or plainly."""

    def __init__(self, rows, buckets, conservative=False):
        self.rows, self.buckets, self.conservative = rows, buckets, conservative
        self.cells, self.total, self.seeds = [0] * (rows * buckets), 0, row_seeds("libstdcxx", 9001, rows)

    def places(self, key):
        return [row * self.buckets + murmur(key, seed) % self.buckets for row, seed in enumerate(self.seeds)]

    def estimate(self, key):
        return min(self.cells[place] for place in self.places(key))

    def add(self, key, weight):
        least = self.estimate(key) + weight
        for place in self.places(key):
            self.cells[place] = max(self.cells[place], least) if self.conservative else self.cells[place] + weight
        self.total += weight

    def image(self):
        header = image("UInt64", self.rows, self.buckets, [(b"", 1)])[:16]
        return header + struct.pack("<Q%dQ" % len(self.cells), self.total, *self.cells)


def split(items, most):
    """The exact weights of the items that fit a small state, and the items behind the first that does not."""
    weights = {}
    for i, (key, weight) in enumerate(items):
        if key not in weights and entries_size(weights) + len(varuint(len(key))) + len(key) + 8 > most:
            return weights, items[i:]
        weights[key] = weights.get(key, 0) + weight
    return weights, []


def conservative_state(rows, buckets, items):
    weights, rest = split(items, limit(image_size(rows, buckets)))
    if not rest:
        return small(16, weights, sum(weights.values()))
    table = Table(rows, buckets, conservative=True)
    for key, weight in sorted(weights.items()) + rest:
        table.add(key, weight)
    return bytes([17]) + varuint(len(table.image())) + table.image()


def halved_state(rows, buckets, items):
    weights, rest = split(items, limit(image_size(rows, buckets)))
    total = (sum(weight for _, weight in items) + 1) // 2
    if not rest:
        return small(32, {key: weight // 2 for key, weight in weights.items() if weight >= 2}, total)
    table = Table(rows, buckets)
    for key, weight in items:
        table.add(key, weight)
    table.cells, table.total = [cell // 2 for cell in table.cells], total
    return bytes([33]) + varuint(len(table.image())) + table.image()


def top_k_state(capacity, rows, buckets, items):
    weights, rest = split(items, limit(image_size(rows, buckets)))
    if not rest:
        return small(0, weights, sum(weights.values()))
    table = Table(rows, buckets)
    for key, weight in weights.items():
        table.add(key, weight)
    strength = lambda item: (-item[1], item[0])
    candidates = dict(sorted(((key, table.estimate(key)) for key in weights), key=strength)[:capacity])
    for key, weight in rest:
        table.add(key, weight)
        candidates[key] = table.estimate(key)
        candidates = dict(sorted(candidates.items(), key=strength)[:capacity])
    listed = b"".join(varuint(len(key)) + key + struct.pack("<Q", e) for key, e in sorted(candidates.items()))
    return bytes([1]) + varuint(len(table.image())) + table.image() + varuint(len(candidates)) + listed


def ranges_state(bits, rows, buckets, items):
    exact = 0
    while 1 << (bits - exact) > rows * buckets:
        exact += 1
    size = (8 << (bits - exact)) + exact * image_size(rows, buckets)
    weights, rest = split([(value.to_bytes(bits // 8, "big"), weight) for value, weight in items], limit(size))
    if not rest:
        return small(0, weights, sum(weights.values()))
    counts = [0] * (1 << (bits - exact))
    tables = [Table(rows, buckets) for _ in range(exact)]
    for value, weight in items:
        counts[value >> exact] += weight
        for level, table in enumerate(tables):
            table.add(struct.pack("<Q", value >> level), weight)
    content = struct.pack("<%dQ" % len(counts), *counts) + b"".join(table.image() for table in reversed(tables))
    return bytes([1]) + varuint(len(content)) + content


def numbers(values):
    return [(struct.pack("<Q", v), i + 1) for i, v in enumerate(values)]


WORDS = [(b"alpha", 1), (b"beta", 2), (b"gamma", 3), (b"delta", 4)]
MANY = [(b"key%d" % (i * 7 % 10), 1 + i % 4) for i in range(30)]
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
    "state_small_conservative": conservative_state(2, 16, WORDS),
    "state_sketch_conservative": conservative_state(2, 4, MANY),
    "state_small_halved": halved_state(2, 16, WORDS),
    "state_sketch_halved": halved_state(2, 4, MANY),
    "state_small_top_k": top_k_state(4, 2, 16, WORDS),
    "state_sketch_top_k": top_k_state(4, 2, 4, MANY),
    "state_small_ranges": ranges_state(16, 2, 4, [(300, 1), (7, 2), (300, 3)]),
    "state_levels_ranges": ranges_state(8, 2, 4, [(i * 37 % 256, 1 + i % 4) for i in range(60)]),
}

if __name__ == "__main__":
    for name, data in GOLDEN.items():
        with open(name + ".hex", "w") as out:
            text = data.hex()
            out.write("".join(text[i : i + 64] + "\n" for i in range(0, len(text), 64)))
