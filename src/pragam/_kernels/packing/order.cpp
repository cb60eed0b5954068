// The order of random keys. Specification: order.py.
#include "common/kernel.hpp"

#include <algorithm>
#include <vector>

namespace pragam {
namespace {

using Key = std::uint64_t;

struct Placed {
    Key key;
    std::int64_t place;
};

// By how much keys of this range are shifted to be numbers of buckets, which have this many keys on average, or up to
// twice as many. With fewer keys in each, the ends of the buckets of a run would not stay in the first two caches.
int shift_of(Key range, std::size_t n) {
    constexpr std::size_t keys = 4;
    int shift = 0;
    while ((range >> shift) > n / keys + 1) ++shift;  // at 63 bits it has ended
    return shift;
}

// A bucket in the order of its keys, equal ones in the order of their places. std::stable_sort asks for memory even for
// two; where keys are not drawn evenly, a bucket may have any number.
void sort_bucket(Placed *first, Placed *last) {
    constexpr std::ptrdiff_t few = 32;
    if (last - first > few) {
        std::stable_sort(first, last, [](const Placed &one, const Placed &other) { return one.key < other.key; });
        return;
    }
    for (Placed *next = first + 1; next < last; ++next) {
        const Placed own = *next;
        Placed *to = next;
        for (; to > first && to[-1].key > own.key; --to) *to = to[-1];
        *to = own;
    }
}

// Keys are drawn evenly, so buckets of the same width have a few keys each. A sort that compares takes five times
// as long for 130 thousand keys. Other keys may share a bucket, which is sorted by comparisons then.
void key_order(In<Key> keys, Out<std::int64_t> order) {
    const std::size_t n = keys.size();
    require(order.size() == n, "key_order: order must be as long as keys");
    if (n == 0) return;
    nb::gil_scoped_release release;
    const Key *key = keys.data();
    const auto [least, most] = std::minmax_element(key, key + n);
    const Key low = *least, range = *most - low;
    const int shift = shift_of(range, n);
    std::vector<std::size_t> ends(std::size_t(range >> shift) + 2, 0);
    for (std::size_t i = 0; i < n; ++i) ++ends[std::size_t((key[i] - low) >> shift) + 1];
    for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
    std::vector<Placed> sorted(n);  // ends[b] goes from where bucket b begins to where it ends
    for (std::size_t i = 0; i < n; ++i)
        sorted[ends[std::size_t((key[i] - low) >> shift)]++] = {key[i], std::int64_t(i)};
    Pulse pulse;
    for (std::size_t b = 0, first = 0; b + 1 < ends.size(); first = ends[b++]) {
        sort_bucket(sorted.data() + first, sorted.data() + ends[b]);
        pulse.beat(ends[b] - first + 1);
    }
    for (std::size_t i = 0; i < n; ++i) order.data()[i] = sorted[i].place;
}

}  // namespace

void bind_packing_order(nb::module_ &m) {
    m.def("key_order", &key_order, nb::arg("keys").noconvert(), nb::arg("order").noconvert());
}

}  // namespace pragam
