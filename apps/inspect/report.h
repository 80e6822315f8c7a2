// A model folder's report, written for people and for programs.
#pragma once

#include <string>

#include "run/model_report.h"

namespace heed {

std::string report_text(run::ModelReport report);
std::string report_json(run::ModelReport report);

}  // namespace heed
