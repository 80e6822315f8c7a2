// The files and folders that tests look at. Compiled in one file alone, so that a compiler cache
// serves the others in every folder.
#pragma once

namespace heed::paths {

extern const char* const kSource;  // the repository
extern const char* const kHeed;    // the program
extern const char* const kServed;  // its stand-in, for which a fork server works where there is one
extern const char* const kPython;

}  // namespace heed::paths
