// A parser of svmlight/LIBSVM text: "label [qid:K] index:value ... # comment", one sample per line.
//
// The text ends in a newline, which belongs to no token. It stops every inner loop, so no loop needs to compare
// its position with the end. Every sample has a newline and every feature a colon, which bounds the memory needed
// before anything is parsed.
#include "common/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "text/numbers.hpp"

namespace pragam {
namespace {

// rows, entries, fault, where; lowest index, where; highest index, where. "Where" is an offset into the text.
using Report = std::tuple<std::int64_t, std::int64_t, int, std::int64_t, std::int64_t, std::int64_t,
                          std::int64_t, std::int64_t>;

// In the order of files/svmlight_reader.py's messages.
enum Fault { none, bad_label, bad_query, bad_index, large_index, no_colon, bad_value, repeated_index };

template <class Index, class Value>
class Parser {
  public:
    Parser(const Byte *text, const Byte *end, double *labels, std::int64_t *ends, Index *indices, Value *values)
        : text_(text), end_(end), p_(text), labels_(labels), ends_(ends), indices_(indices), values_(values) {}

    Report run(bool continued) {
        Pulse pulse;
        for (; p_ < end_; continued = false) {
            const Byte *const start = p_;
            skip_blanks();
            const std::int64_t complete = entries_;
            if (continued ? !features() : *p_ != '\n' && *p_ != '#' && !sample()) {
                entries_ = complete;
                break;
            }
            while (*p_ != '\n') ++p_;  // a comment
            ++p_;
            pulse.beat(std::size_t(p_ - start));
        }
        return {rows_, entries_, fault_, where_, lowest_, lowest_at_, highest_, highest_at_};
    }

  private:
    void skip_blanks() {
        while (blank(*p_)) ++p_;
    }

    bool fail(Fault fault, const Byte *where) {
        fault_ = fault;
        where_ = where - text_;
        return false;
    }

    bool sample() {
        const Byte *const start = p_;
        if (!number(p_, labels_[rows_]) || !stops(*p_)) return fail(bad_label, start);
        skip_blanks();
        if (*p_ == 'q' && !query()) return false;
        const std::int64_t first = entries_;
        if (!features()) return false;
        if (increasing_ || !repeats(first)) return true;
        --rows_;
        return fail(repeated_index, start);
    }

    // The rest of a row, and its end.
    bool features() {
        std::int64_t previous = -1;
        increasing_ = true;
        for (skip_blanks(); *p_ != '\n' && *p_ != '#'; skip_blanks()) {
            if (!feature()) return false;
            increasing_ &= std::int64_t(indices_[entries_]) > previous;
            previous = indices_[entries_++];
        }
        ends_[rows_++] = entries_;
        return true;
    }

    bool query() {
        const Byte *const start = p_;
        std::uint64_t id;
        for (const char c : {'q', 'i', 'd', ':'})
            if (*p_++ != Byte(c)) return fail(bad_index, start);
        if (!whole(p_, id) || !stops(*p_)) return fail(bad_query, start + 4);
        return true;
    }

    bool feature() {
        // The number of features, one more than the highest index counted from 0, must also fit.
        constexpr std::uint64_t limit = std::is_same_v<Index, std::int32_t>
                                            ? std::uint64_t(std::numeric_limits<std::int32_t>::max())
                                            : std::uint64_t(std::numeric_limits<std::int64_t>::max()) - 1;
        const Byte *const start = p_;
        std::uint64_t index;
        if (!(end_ - p_ >= 8 && short_index(p_, index)) && !whole(p_, index)) return fail(bad_index, start);
        if (*p_ != ':') return fail(stops(*p_) ? no_colon : bad_index, start);
        if (index > limit) return fail(large_index, start);
        const Byte *const colon = p_++;
        double value;
        if (digit(*p_) && stops(p_[1]))  // of one-hot rows nearly all
            value = *p_++ - '0';
        else if (!number(p_, value) || !stops(*p_))
            return fail(bad_value, colon + 1);
        // At and above the middle between the highest float and the next power of two, rounding gives infinity.
        if (std::is_same_v<Value, float> && std::fabs(value) >= 0x1.ffffffp127) return fail(bad_value, colon + 1);
        indices_[entries_] = static_cast<Index>(index);
        values_[entries_] = static_cast<Value>(value);
        note(static_cast<std::int64_t>(index), start - text_);
        return true;
    }

    void note(std::int64_t index, std::int64_t at) {
        if (index > highest_) highest_ = index, highest_at_ = at;
        if (index < lowest_) lowest_ = index, lowest_at_ = at;
    }

    bool repeats(std::int64_t first) {
        sorted_.assign(indices_ + first, indices_ + entries_);
        std::sort(sorted_.begin(), sorted_.end());
        return std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end();
    }

    const Byte *const text_, *const end_;
    const Byte *p_;
    double *labels_;
    std::int64_t *ends_;
    Index *indices_;
    Value *values_;
    std::vector<Index> sorted_;
    std::int64_t rows_ = 0, entries_ = 0, where_ = -1;
    Fault fault_ = none;
    bool increasing_ = true;
    std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max(), lowest_at_ = -1;
    std::int64_t highest_ = -1, highest_at_ = -1;
};

template <class Index, class Value>
Report svmlight_parse(In<Byte> text, Out<double> labels, Out<std::int64_t> ends, Out<Index> indices,
                      Out<Value> values, bool continued) {
    const std::size_t size = text.size();
    require(size > 0 && text.data()[size - 1] == '\n', "text must end in a newline");
    const Byte *const end = text.data() + size;
    const std::size_t lines = count(text.data(), size, '\n'), colons = count(text.data(), size, ':');
    require(labels.size() >= lines && ends.size() >= lines, "labels and ends need a place for every newline");
    require(indices.size() >= colons && values.size() >= colons, "indices and values need a place for every colon");
    nb::gil_scoped_release nogil;
    Parser<Index, Value> parser(text.data(), end, labels.data(), ends.data(), indices.data(), values.data());
    return parser.run(continued);
}

template <class Index, class Value>
void bind(nb::module_ &m) {
    m.def("svmlight_parse", &svmlight_parse<Index, Value>, nb::arg("text").noconvert(),
          nb::arg("labels").noconvert(), nb::arg("ends").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("values").noconvert(), nb::arg("continued") = false);
}

}  // namespace

void bind_text_svmlight(nb::module_ &m) {
    bind<std::int32_t, double>(m);
    bind<std::int32_t, float>(m);
    bind<std::int64_t, double>(m);
    bind<std::int64_t, float>(m);
}

}  // namespace pragam
