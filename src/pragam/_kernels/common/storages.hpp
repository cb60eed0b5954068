// X as Python passes it, in raw arrays of whatever types. A kernel is bound once for each way of passing, and asks for the
// types when it is called: a binding takes the compiler as long as a hundred lines of arithmetic.
#pragma once

#include "common/rows.hpp"

namespace pragam {

using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Indptr = In<std::int64_t>;

// An output of any type.
using AnyOut = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline nb::builtin_exception wrong_type() { return nb::type_error("an array has a type that this kernel does not take"); }

// The array as one of entries of type T, which it must have: no array is ever converted.
template <class T>
In<T> input(const AnyVector &array) {
    if (array.dtype() != nb::dtype<T>()) throw wrong_type();
    return In<T>(array);
}

template <class T>
Out<T> output(const AnyOut &array) {
    if (array.dtype() != nb::dtype<T>()) throw wrong_type();
    return Out<T>(array);
}

// use(pointer to the entries), for an array of one of these types.
template <class T, class... Others, class Array, class Use>
auto with_type(const Array &array, const Use &use) {
    if (array.dtype() == nb::dtype<T>()) return use(static_cast<const T *>(array.data()));
    if constexpr (sizeof...(Others) > 0) return with_type<Others...>(array, use);
    else throw wrong_type();
}

// How many rows the raw arrays hold: indptr is the last of them.
inline std::size_t number_of_rows(const AnyVector &, const Indptr &indptr) {
    return indptr.size() ? indptr.size() - 1 : 0;
}

template <class Entries>
std::size_t number_of_rows(const AnyVector &first, const Entries &, const Indptr &indptr) {
    return number_of_rows(first, indptr);
}

inline std::size_t number_of_rows(const AnyMatrix &X) { return X.shape(0); }

inline void require_indptr(const Indptr &indptr, std::size_t n) {
    require(indptr.size() == n + 1, "indptr must have one entry more than there are rows");
}

// use(rows), for n rows and d columns.
template <class... Indices, class Use>
auto with_csr(std::size_t n, const Use &use, const AnyVector &data, const AnyVector &indices, const Indptr &indptr) {
    require_indptr(indptr, n);
    return with_type<float, double>(data, [&](const auto *values) {
        return with_type<Indices...>(indices, [&](const auto *index) {
            return use(CsrRows<decltype(values), std::decay_t<decltype(*index)>>{values, index, indptr.data()});
        });
    });
}

template <class... Indices, class Use>
auto with_pattern(std::size_t n, const Use &use, const AnyVector &indices, const Indptr &indptr) {
    require_indptr(indptr, n);
    return with_type<Indices...>(indices, [&](const auto *index) {
        return use(CsrRows<Ones, std::decay_t<decltype(*index)>>{{}, index, indptr.data()});
    });
}

template <class Use>
auto with_rows(std::size_t n, std::size_t, const Use &use, const AnyVector &data, const AnyVector &indices,
               const Indptr &indptr) {
    return with_csr<std::int32_t, std::int64_t>(n, use, data, indices, indptr);
}

template <class Use>
auto with_rows(std::size_t n, std::size_t d, const Use &use, const AnyMatrix &X) {
    require(X.shape(0) == n && X.shape(1) == d, "X must have a row for each dual variable, a column for each weight");
    return with_type<float, double>(X, [&](const auto *values) {
        return use(DenseRows<std::decay_t<decltype(*values)>>{values, std::int64_t(d), X.stride(0), X.stride(1)});
    });
}

// Registers Kernel<raw arrays ...>::call, as NAME_csr and NAME_dense. `args` describe the arguments that follow the raw
// arrays. No array is ever converted: a copy of w or alpha would lose the update.
template <class>
auto raw() {
    return nb::arg().noconvert();
}

template <template <class...> class Kernel, class... Raw, class... Args>
void bind_storage(nb::module_ &m, const char *name, Args... args) {
    m.def(name, &Kernel<Raw...>::call, raw<Raw>()..., args...);
}

template <template <class...> class Kernel, class... Args>
void bind_csr(nb::module_ &m, const char *name, Args... args) {
    bind_storage<Kernel, AnyVector, AnyVector, Indptr>(m, name, args...);
}

template <template <class...> class Kernel, class... Args>
void bind_storages(nb::module_ &m, const char *csr, const char *dense, Args... args) {
    bind_csr<Kernel>(m, csr, args...);
    bind_storage<Kernel, AnyMatrix>(m, dense, args...);
}

// An array argument of this name, never converted.
inline auto array(const char *name) { return nb::arg(name).noconvert(); }

// Registers kernel(data, indices, indptr, rest...) once for all types of entries and indices. `kernel` is a function of any
// of these; `one`, which is not called, names the types of the rest.
template <class Answer, class... Rest, class Kernel, class... Args>
void bind_csr_types(nb::module_ &m, const char *name, Answer (*)(In<double>, In<std::int32_t>, Indptr, Rest...),
                    const Kernel &kernel, Args... args) {
    const auto call = [kernel](AnyVector data, AnyVector indices, Indptr indptr, Rest... rest) {
        return with_type<double, float>(data, [&](const auto *value) {
            return with_type<std::int32_t, std::int64_t>(indices, [&](const auto *index) {
                using T = std::decay_t<decltype(*value)>;
                using I = std::decay_t<decltype(*index)>;
                return kernel(In<T>(data), In<I>(indices), indptr, rest...);
            });
        });
    };
    m.def(name, call, array("data"), array("indices"), array("indptr"), args...);
}

// The same for a kernel of a dense matrix.
template <class... Rest, class Kernel, class... Args>
void bind_dense_types(nb::module_ &m, const char *name, void (*)(Matrix<double>, Rest...), const Kernel &kernel,
                      Args... args) {
    const auto call = [kernel](AnyMatrix X, Rest... rest) {
        with_type<double, float>(X, [&](const auto *value) {
            kernel(Matrix<std::decay_t<decltype(*value)>>(X), rest...);
        });
    };
    m.def(name, call, array("X"), args...);
}

}  // namespace pragam
