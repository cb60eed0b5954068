// What a visit to an example asks of the rows of X, for each storage of them.
#include "blocks/rows.hpp"

namespace pragam {
namespace {

template <class R, class F>
class RowsIn final : public ExampleRows<F> {
  public:
    explicit RowsIn(const R &rows) : rows_(rows) {}

    std::int64_t length(std::int64_t i) const override { return std::int64_t(rows_.length(i)); }
    void prefetch(std::int64_t i) const override { rows_.prefetch(i); }
    void products(std::int64_t i, const WeightTable<F> &table, F *out) const override {
        pragam::products(row_at(rows_, i), table.data, table.width, out);
    }
    void move(std::int64_t i, const F *step, const std::int32_t *labels, std::int64_t count,
              const WeightTable<F> &table) const override {
        pragam::move(row_at(rows_, i), step, labels, count, table);
    }

  private:
    const R rows_;
};

template <class F, class... Raw>
std::unique_ptr<const ExampleRows<F>> behind(std::size_t n, std::size_t d, const Raw &...raw) {
    return with_rows(n, d, [](const auto &rows) -> std::unique_ptr<const ExampleRows<F>> {
        return std::make_unique<RowsIn<std::decay_t<decltype(rows)>, F>>(rows);
    }, raw...);
}

}  // namespace

template <class F>
std::unique_ptr<const ExampleRows<F>> example_rows(std::size_t n, std::size_t d, const AnyVector &data,
                                                   const AnyVector &indices, const Indptr &indptr) {
    return behind<F>(n, d, data, indices, indptr);
}

template <class F>
std::unique_ptr<const ExampleRows<F>> example_rows(std::size_t n, std::size_t d, const AnyMatrix &X) {
    return behind<F>(n, d, X);
}

template std::unique_ptr<const ExampleRows<float>> example_rows<float>(std::size_t, std::size_t, const AnyVector &,
                                                                      const AnyVector &, const Indptr &);
template std::unique_ptr<const ExampleRows<float>> example_rows<float>(std::size_t, std::size_t, const AnyMatrix &);
template std::unique_ptr<const ExampleRows<double>> example_rows<double>(std::size_t, std::size_t, const AnyVector &,
                                                                        const AnyVector &, const Indptr &);
template std::unique_ptr<const ExampleRows<double>> example_rows<double>(std::size_t, std::size_t, const AnyMatrix &);

}  // namespace pragam
