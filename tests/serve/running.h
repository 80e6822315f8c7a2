// A server with small random models. The test itself is the thread that translates.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "decode/random_models.h"
#include "http/client.h"
#include "model/description/traits.h"
#include "serve/service.h"

namespace heed::serve {

using http::testing::Answer;

/// Indices into decode::many_models(): of one that gives a line the same bits in any batch, and one
/// that does not, for no engine knows it.
inline constexpr std::size_t kShares = 0, kSharesNot = 4;

inline decode::Translator translator_of(std::size_t which,
                                        const decode::DecodeConfig& config = {}) {
  const model::ModelPtr model = decode::random_model(decode::many_models()[which]);
  return decode::make_translator(which == kSharesNot ? decode::without_engine(model) : model,
                                 config);
}

inline std::shared_ptr<decode::LineTranslator> shared(decode::Translator translator) {
  return std::make_shared<decode::Translator>(std::move(translator));
}

inline std::vector<ServedModel> models_of(const std::vector<std::size_t>& which,
                                          const decode::DecodeConfig& config = {}) {
  std::vector<ServedModel> models;
  for (const std::size_t i : which)
    models.push_back({{.name = "m" + std::to_string(i),
                       .kinds = model::traits(decode::many_models()[i]).kinds,
                       .softmax_kinds = {config::AttentionKind::cross},
                       .layer = 1,
                       .head = -1},
                      "de",
                      i == 0 ? "en" : "fr",
                      shared(translator_of(i, config)),
                      false,
                      decode::many_models()[i]});
  return models;
}

class Running {
 public:
  explicit Running(const std::vector<std::size_t>& which, const Limits& limits = {},
                   const decode::DecodeConfig& config = {})
      : Running(limits, models_of(which, config)) {}
  Running(const Limits& limits, std::vector<ServedModel> models)
      : service(std::move(models), limits),
        server({.finished = [this](const http::FinishedRequest& about) { service.note(about); }},
               service.routes()) {}

  /// Sent from a thread of its own.
  std::future<Answer> begin(const std::string& request) {
    return std::async(std::launch::async,
                      [this, request] { return http::testing::ask(server.port(), request); });
  }
  /// Translates until it is answered.
  Answer end(std::future<Answer>& answer) {
    while (answer.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready)
      service.work(std::chrono::milliseconds(1));
    return answer.get();
  }
  Answer post(const std::string& path, const nlohmann::json& body) {
    auto answer = begin(http::testing::post_text(path, body.dump()));
    return end(answer);
  }
  nlohmann::json ok(const std::string& path, const nlohmann::json& body) {
    const Answer answer = post(path, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return nlohmann::json::parse(answer.body);
  }
  void wait_for_lines(int64_t count) const {
    while (service.waiting() < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  Service service;
  http::Server server;
};

/// The translator's own translations of these lines.
inline std::vector<std::string> expected(decode::Translator&& translator,
                                         const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (const auto& one : translator.translate({.lines = lines}).translations)
    out.push_back(one.text);
  return out;
}

}  // namespace heed::serve
