// Matrices as tables and pictures in a folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inspect/shape.h"

namespace heed {

using config::AttentionKind;

/// The table of one kind, piece by piece: it can be larger than is good to hold. `matrix_form`:
/// target x source tables instead of one weight per row.
void write_csv(const inspect::Matrices& matrices, AttentionKind kind, bool matrix_form,
               const std::function<void(const std::string&)>& write);

/// The table of a kind where these are written: one file, or one for each kind, for it has no
/// column for it.
std::string table_name(AttentionKind kind, const std::vector<AttentionKind>& kinds);
void write_tables(const std::filesystem::path& folder, const inspect::Matrices& matrices,
                  const std::vector<AttentionKind>& kinds, bool matrix_form);

/// `which` is all: a picture of each matrix, and one of all layers and heads where there are
/// several; grid: only the latter; none. Returns how many. `model` is for their titles.
std::size_t write_pictures(const std::filesystem::path& folder, const inspect::Matrices& matrices,
                           const std::string& model, const std::string& which);

}  // namespace heed
