#include "serve/desk.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"

namespace heed::serve {

struct Desk::Entry {
  http::Reply reply;
  Clock::time_point begun = Clock::now();
  Lines lines = {};
  Task task = {};
  bool is_task = false;
  std::vector<decode::Translation> found = {};  // of the lines so far, in order

  std::size_t model() const { return is_task ? task.model : lines.model; }
  int64_t left() const { return is_task ? 1 : std::ssize(lines.lines) - std::ssize(found); }
};

namespace {

/// Of the exception that is being handled.
http::Response response_of_exception() {
  try {
    throw;
  } catch (const UserError& error) {
    return http::error(400, error.what());
  } catch (const std::exception& error) {
    log::error(one_line(error.what(), 400));
    return http::error(500, "the server failed; its log says why");
  }
}

}  // namespace

Desk::Desk(std::vector<Model>& models, const Limits& limits, http::Metrics& metrics)
    : models_(models), limits_(limits), metrics_(metrics) {
  metrics_.counter("heed_lines_total", "Lines translated.");
  metrics_.counter("heed_search_seconds_total", "Seconds that models have searched.");
  metrics_.histogram("heed_batch_lines", "Lines translated together.",
                     {1, 2, 4, 8, 16, 32, 64, 128});
}

void Desk::take(Lines lines, const http::Reply& reply) {
  auto entry = std::make_shared<Entry>(Entry{.reply = reply});
  entry->lines = std::move(lines);
  take(std::move(entry));
}

void Desk::take(Task task, const http::Reply& reply) {
  auto entry = std::make_shared<Entry>(Entry{.reply = reply});
  entry->task = std::move(task);
  entry->is_task = true;
  take(std::move(entry));
}

void Desk::take(EntryPtr entry) {
  const std::scoped_lock lock(mutex_);
  const int64_t lines = entry->left();
  if (lines > limits_.queue)
    return entry->reply.send(http::error(
        413, counted(lines, "line") + "; a request may have " + std::to_string(limits_.queue)));
  if (waiting_ + lines > limits_.queue) {
    const double wait = static_cast<double>(waiting_) * seconds_per_line_;
    return entry->reply.send(http::try_again(429, "too many requests wait already",
                                             std::max<int64_t>(1, std::llround(wait))));
  }
  waiting_ += lines;
  entries_.push_back(std::move(entry));
  came_.notify_one();
}

int64_t Desk::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

void Desk::remove(const EntryPtr& entry) {
  waiting_ -= entry->left();
  std::erase(entries_, entry);
}

void Desk::give_up_late() {
  const auto late = Clock::now() - limits_.patience;
  const std::deque<EntryPtr> all = entries_;
  for (const EntryPtr& entry : all) {
    if (entry->begun > late) continue;
    remove(entry);
    entry->reply.send(
        http::try_again(503, "not done within " + counted(limits_.patience.count(), "second"), 5));
  }
}

bool Desk::shares_batches(const Entry& entry) const {
  // A prefix that a model refuses would take others with it.
  return !entry.is_task && entry.lines.prefixes.empty() &&
         models_[entry.model()].translator.is_same_in_any_batch();
}

std::vector<Desk::Share> Desk::next_batch() const {
  const EntryPtr& first = entries_.front();
  const decode::DecodeConfig& config = models_[first->model()].translator.config();
  std::vector<Share> batch;
  if (!shares_batches(*first)) {
    // The windows of `heed translate`: other batches could have other bits.
    const auto from = first->found.size();
    const auto to = std::min(first->lines.lines.size(), from + 32 * config.batch_size);
    for (std::size_t line = from; line < to; ++line) batch.push_back({first, line});
    return batch;
  }
  std::vector<EntryPtr> fellows;
  for (const EntryPtr& entry : entries_)
    if (entry->model() == first->model() && shares_batches(*entry) &&
        entry->lines.n_best == first->lines.n_best)
      fellows.push_back(entry);
  // As many as all threads search at once. Small batches are answered early, and where more lines
  // wait, those are taken that are about as long as the first, which is searched faster.
  const auto most =
      static_cast<std::size_t>(std::max<int64_t>(1, config.batch_size / 2) * at::get_num_threads());
  const auto length = [](const Share& share) {
    return std::ssize(share.entry->lines.lines[share.line]);
  };
  for (std::size_t round = 0; !fellows.empty() && batch.size() < most; ++round) {
    std::vector<Share> turn;  // the next line of each
    for (const EntryPtr& entry : fellows) turn.push_back({entry, entry->found.size() + round});
    const int64_t wanted = length(batch.empty() ? turn.front() : batch.front());
    std::ranges::stable_sort(turn, {},
                             [&](const Share& share) { return std::abs(length(share) - wanted); });
    turn.resize(std::min(turn.size(), most - batch.size()));
    batch.insert(batch.end(), turn.begin(), turn.end());
    std::erase_if(fellows, [&](const EntryPtr& entry) {
      return entry->found.size() + round + 1 == entry->lines.lines.size();
    });
  }
  return batch;
}

void Desk::translate(const std::vector<Share>& batch) {
  const EntryPtr& first = batch.front().entry;
  Model& model = models_[first->model()];
  std::vector<std::string> lines, prefixes;
  for (const Share& share : batch) {
    const Lines& all = share.entry->lines;
    lines.push_back(all.lines[share.line]);
    if (!all.prefixes.empty()) prefixes.push_back(all.prefixes[share.line]);
  }
  const auto begin = Clock::now();
  model.translator.set_n_best(first->lines.n_best);
  const auto first_line = static_cast<int64_t>(batch.front().line) + 1;
  auto found = model.translator.translate(lines, first_line, prefixes);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto count = static_cast<double>(batch.size());
  metrics_.add("heed_lines_total", count, {{"model", model.name}});
  metrics_.add("heed_search_seconds_total", seconds, {{"model", model.name}});
  metrics_.observe("heed_batch_lines", count);

  const std::scoped_lock lock(mutex_);
  seconds_per_line_ += 0.1 * (seconds / count - seconds_per_line_);
  // The lines of an entry are in order, and all before them are done.
  for (std::size_t i = 0; i < batch.size(); ++i)
    batch[i].entry->found.push_back(std::move(found[i]));
  waiting_ -= std::ssize(batch);
}

/// Answers those that are complete; the others go behind.
void Desk::settle(const std::vector<Share>& batch) {
  std::vector<EntryPtr> took_part;
  for (const Share& share : batch)
    if (std::ranges::find(took_part, share.entry) == took_part.end())
      took_part.push_back(share.entry);
  {
    const std::scoped_lock lock(mutex_);
    for (const EntryPtr& entry : took_part) {
      std::erase(entries_, entry);
      if (entry->left() > 0) entries_.push_back(entry);
    }
  }
  for (const EntryPtr& entry : took_part) {
    if (entry->left() > 0) continue;
    try {
      entry->reply.send(entry->lines.answer(std::move(entry->found)));
    } catch (...) {
      entry->reply.send(response_of_exception());
    }
  }
}

bool Desk::work(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  came_.wait_for(lock, wait, [&] { return !entries_.empty(); });
  give_up_late();
  if (entries_.empty()) return false;
  if (entries_.front()->is_task) {
    const EntryPtr entry = entries_.front();
    remove(entry);
    lock.unlock();
    try {
      entry->reply.send(entry->task.answer(models_[entry->model()].translator));
    } catch (...) {
      entry->reply.send(response_of_exception());
    }
    return true;
  }
  const std::vector<Share> batch = next_batch();
  lock.unlock();
  try {
    translate(batch);
  } catch (...) {
    const http::Response problem = response_of_exception();
    for (const Share& share : batch) share.entry->reply.send(problem);
    lock.lock();
    for (const Share& share : batch)
      if (std::ranges::find(entries_, share.entry) != entries_.end()) remove(share.entry);
    return true;
  }
  settle(batch);
  return true;
}

}  // namespace heed::serve
