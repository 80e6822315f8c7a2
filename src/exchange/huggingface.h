// Reads folders of Hugging Face's transformers: MarianMT, M2M-100 and NLLB-200.
#pragma once

#include "exchange/foreign_model.h"
#include "exchange/package.h"

namespace heed::exchange {

ForeignModel read_huggingface(const Package& package);

}  // namespace heed::exchange
