// Between YAML text and config structs: load, `--set`, dump. The rules of precedence are here and nowhere else:
// default < file < `--set`, left to right.
#pragma once

#include <string>
#include <vector>

#include "config/schema.h"

// (templates; needs the fields' types)
