// A small schema with every type of field.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"

namespace heed::config {

HEED_ENUM(Colour, (auto_, "Any, whichever."), (red, "That of | roses."), (light_blue, "The sky's."))

inline const std::vector<std::string>& toy_names() {
  static const std::vector<std::string> names = {"none", "luong_dot", "luong_general"};
  return names;
}

inline const std::vector<std::string>& toy_helps() {
  static const std::vector<std::string> helps = {"It does not look.", "It looks | once.",
                                                 "It looks twice."};
  return helps;
}

struct ToyFiles {
  HEED_CONFIG(ToyFiles);
  HEED_FIXED(std::string, source, "", "Source sentences.")
  HEED_FIXED(double, weight, 1.0, "How often they are read.", Between<double>{0.5, 2})
};

struct ToyModel {
  HEED_CONFIG(ToyModel);
  HEED_FIXED(int64_t, hidden_size, 512, "Width of the state.", Between<int64_t>{2, 16384})
  HEED_FIXED(double, dropout, 0.1, "Share of zeros | while training.", Between<double>{0.0, 0.9})
  HEED_FIXED(std::string, attention, "none", "How it looks.", OneOf{toy_names, toy_helps})
  HEED_FIXED(Colour, colour, Colour::auto_, "What it looks like.")
};

struct ToyStopping {
  HEED_CONFIG(ToyStopping);
  HEED_FREE(int64_t, patience, 10, "Validations without improvement.", Between<int64_t>{0, 100})
};

struct ToyTraining {
  HEED_CONFIG(ToyTraining);
  HEED_FIXED(int64_t, accumulate, 1, "Batches of one update.", Between<int64_t>{1, 100})
  HEED_FIXED(double, learning_rate, 0.5, "Speed.", Between<double>{0.0, 10})
  HEED_FIXED(std::vector<double>, betas, (std::vector<double>{0.9, 0.98}), "Decays.",
             EachBetween<double>{0.0, 0.999})
  HEED_SECTION(ToyStopping, early_stopping, "When to stop.")
};

struct ToyConfig {
  HEED_CONFIG(ToyConfig);
  HEED_FREE(std::string, name, "toy", "What it is called.")
  HEED_FIXED(bool, quick, false, "Hurry.")
  HEED_FIXED(std::vector<int64_t>, ends, (std::vector<int64_t>{3, 5}), "Ends of buckets.",
             EachBetween<int64_t>{1, 7})
  HEED_FIXED(std::vector<std::string>, words, {}, "Some words.")
  HEED_FIXED(std::vector<ToyFiles>, train, {}, "Corpora.")
  HEED_SECTION(ToyModel, model, "The network.")
  HEED_SECTION(ToyTraining, training, "The optimisation.")
};

}  // namespace heed::config
