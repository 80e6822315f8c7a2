// What kind of document a text is by its first lines.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed::text {

/// What the names of files with such a text end in, where it is not plain text: ".vtt" of `WEBVTT`,
/// ".html" of `<!DOCTYPE html>`, ".jsonl" of an object of JSON, and ".srt", ".sbv", ".sub", ".tmx", ".xlf",
/// ".xml", ".po", ".ass" or ".md". "": it may well be plain text.
std::string_view usual_ending(std::span<const std::string> first_lines);

}  // namespace heed::text
