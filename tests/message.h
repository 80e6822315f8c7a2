// The text of an exception, for tests that hold messages literally.
#pragma once

#include <exception>
#include <string>

namespace heed {

/// The message of the E that `action` throws; "(nothing thrown)" otherwise. Another exception
/// passes through.
template <class E, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "(nothing thrown)";
}

}  // namespace heed
