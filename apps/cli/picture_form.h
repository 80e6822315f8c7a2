// The purpose of the SVGs of a command.
#pragma once

#include <string>

#include "apps/cli/command_line.h"
#include "draw/svg.h"

namespace heed {

struct PictureForm {
  std::string medium = "page";

  void add(CommandLine& command, const Argument& output) {
    command
        .option("--for", medium,
                "What SVGs are for: page, or slides, with letters of 28 pixels or more")
        .one_of({"page", "slides"})
        .needs(output);
  }
  draw::Form form() const { return medium == "slides" ? draw::Form::slides : draw::Form::wide; }
};

}  // namespace heed
