// Models that CTranslate2's converters wrote (the format: ctranslate2.cpp), with SentencePiece
// files beside them, such as packages of Argos Translate.
#pragma once

#include <string>

#include "exchange/foreign_model.h"
#include "exchange/package.h"

namespace heed::exchange {

/// Reads such a model. `folder` is that of model.bin inside the package, "" or "model/".
ForeignModel read_ctranslate2(const Package& package, const std::string& folder,
                              const SegmentFiles& segments);

}  // namespace heed::exchange
