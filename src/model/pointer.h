// A model that is only handed on: for headers that need not see what a model can do (model.h), and
// compile without LibTorch's.
#pragma once

#include <memory>

namespace heed::model {

class Model;
using ModelPtr = std::shared_ptr<Model>;

}  // namespace heed::model
