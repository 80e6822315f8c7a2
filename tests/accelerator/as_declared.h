// Functions that stand in for LibTorch's private operations. LibTorch adds arguments to these from
// version to version, and an operation takes no function of another type.
#pragma once

#include <c10/util/Exception.h>

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace heed::accelerator {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// AsDeclared<Schema, stand_in>::call is `stand_in` with the type of the operation, `Schema`.
/// Arguments that the operation has behind those of `stand_in` are optional, and `call` throws
/// c10::Error where one of them is given.
template <class Schema, auto stand_in, class StandIn = std::remove_pointer_t<decltype(stand_in)>>
struct AsDeclared;

template <class Result, class... Declared, auto stand_in, class... Known>
struct AsDeclared<Result(Declared...), stand_in, Result(Known...)> {
  static_assert(sizeof...(Declared) >= sizeof...(Known), "the operation has fewer arguments");

  static Result call(Declared... arguments) {
    return call_with(std::forward_as_tuple(arguments...),
                     std::make_index_sequence<sizeof...(Known)>(),
                     std::make_index_sequence<sizeof...(Declared) - sizeof...(Known)>());
  }

 private:
  template <class Arguments, std::size_t... known, std::size_t... added>
  static Result call_with(const Arguments& arguments, std::index_sequence<known...>,
                          std::index_sequence<added...>) {
    static_assert(
        (std::is_same_v<std::tuple_element_t<known, std::tuple<Declared...>>, Known> && ...),
        "the operation begins with other arguments");
    (refuse(std::get<sizeof...(Known) + added>(arguments)), ...);
    return stand_in(std::get<known>(arguments)...);
  }

  template <class T>
  static void refuse(const T& argument) {
    static_assert(kIsOptional<T>, "an argument that the stand-in does not know can be absent");
    TORCH_CHECK(!argument, "an argument that the stand-in does not know");
  }
};

}  // namespace heed::accelerator
