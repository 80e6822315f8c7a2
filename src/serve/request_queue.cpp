#include "serve/request_queue.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"

namespace heed::serve {

struct RequestQueue::Entry {
  http::Reply reply;
  Clock::time_point begun = Clock::now();
  QueuedLines lines = {};
  Task task = {};
  bool is_task = false;
  std::vector<decode::Translation> found = {};  // one a line
  std::size_t done = 0;  // lines that are translated: the first ones, where batches are shared
  std::deque<std::vector<std::size_t>> turns = {};  // else: turns left of the chunk of lines
  int64_t size = 0;  // of the lines that are not translated, or of the task (size_of())

  std::size_t model() const { return is_task ? task.model : lines.model; }
  const decode::LinesRequest& request() const { return lines.request; }
  int64_t n_best() const { return request().search ? request().search->n_best : 1; }
  int64_t left() const { return is_task ? 1 : static_cast<int64_t>(request().lines.size() - done); }
};

namespace {

// A shared batch may be as large as if all its lines had so many bytes: about what sentences have.
constexpr int64_t kBytesOfLine = 128;
constexpr int64_t kBytesOfPiece = 4;  // about, to tell how much of a long line a model reads

/// The answer to the exception that is being handled.
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

/// The answer that `work` returns, or one to the exception that it throws.
template <class Work>
http::Response response_of(const Work& work) {
  try {
    return work();
  } catch (...) {
    return response_of_exception();
  }
}

}  // namespace

RequestQueue::RequestQueue(const std::vector<ServedModel>& models, const Limits& limits,
                           http::ServiceMetrics& metrics)
    : models_(models), limits_(limits), metrics_(metrics) {
  using enum http::ServiceMetrics::Type;
  metrics_.declare("heed_lines_total", counter, "Lines translated.");
  metrics_.declare("heed_search_seconds_total", counter, "Seconds that models have searched.");
  metrics_.declare("heed_batch_lines", histogram, "Lines translated together.",
                   {1, 2, 4, 8, 16, 32, 64, 128});
}

void RequestQueue::take(QueuedLines lines, const http::Reply& reply) {
  auto entry = std::make_shared<Entry>(Entry{.reply = reply});
  set_lines(*entry, std::move(lines));
  take(std::move(entry));
}

void RequestQueue::set_lines(Entry& entry, QueuedLines lines) const {
  entry.is_task = false;
  entry.lines = std::move(lines);
  entry.found.resize(entry.request().lines.size());
  entry.size = 0;
  for (std::size_t i = 0; i < entry.found.size(); ++i) entry.size += size_of(entry, i);
}

void RequestQueue::take(Task task, const http::Reply& reply) {
  auto entry = std::make_shared<Entry>(Entry{.reply = reply});
  entry->task = std::move(task);
  entry->is_task = true;
  entry->size = static_cast<int64_t>(entry->task.bytes);
  take(std::move(entry));
}

void RequestQueue::take(EntryPtr entry) {
  const std::scoped_lock lock(mutex_);
  const int64_t lines = entry->left();
  if (waiting_ + lines > limits_.queue) {
    const double wait = static_cast<double>(waiting_) * seconds_per_line_;
    return entry->reply.send(http::try_again(429, "too many requests wait already",
                                             std::max<int64_t>(1, std::llround(wait))));
  }
  waiting_ += lines;
  entries_.push_back(std::move(entry));
  came_.notify_one();
}

int64_t RequestQueue::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

void RequestQueue::count(const ServedModel& model, std::size_t lines, double seconds) {
  const auto number = static_cast<double>(lines);
  metrics_.note("heed_lines_total", number, {{"model", model.name}});
  metrics_.note("heed_search_seconds_total", seconds, {{"model", model.name}});
  metrics_.note("heed_batch_lines", number);
}

void RequestQueue::remove(const EntryPtr& entry) {
  waiting_ -= entry->left();
  std::erase(entries_, entry);
}

bool RequestQueue::is_late(const Entry& entry) const {
  return entry.begun <= Clock::now() - limits_.patience;
}

void RequestQueue::drop_late_and_abandoned() {
  const std::deque<EntryPtr> all = entries_;
  for (const EntryPtr& entry : all) {
    const bool late = is_late(*entry);
    if (!late && !entry->reply.gone()) continue;
    remove(entry);
    if (late)
      entry->reply.send(http::try_again(
          503, "not done within " + counted(limits_.patience.count(), "second"), 5));
  }
}

/// The bytes of a line, as far as its model reads it: the time of a search grows with them.
int64_t RequestQueue::size_of(const Entry& entry, std::size_t line) const {
  return std::min<int64_t>(std::ssize(entry.request().lines[line]),
                           kBytesOfPiece * models_[entry.model()].translator->source_limit());
}

/// The request with which the next turn begins.
RequestQueue::EntryPtr RequestQueue::next_entry() {
  if (!std::exchange(is_turn_of_shortest_, !is_turn_of_shortest_)) return entries_.front();
  return *std::ranges::min_element(entries_, {}, [](const EntryPtr& entry) { return entry->size; });
}

bool RequestQueue::shares_batches(const Entry& entry) const {
  // A prefix that a model refuses would make the other requests of its batch fail.
  return !entry.is_task && entry.request().prefixes.empty() && !entry.request().glossary &&
         models_[entry.model()].translator->is_same_in_any_batch();
}

/// Cuts the next chunk of lines of a request that shares no batches. Chunks and batches are those
/// of `heed translate`, because others could have other bits.
void RequestQueue::plan_turns(Entry& entry) const {
  const decode::LineTranslator& translator = *models_[entry.model()].translator;
  const decode::LinesRequest& request = entry.request();
  // A line may be several sentences, or none.
  const auto chunk_of = [&](std::size_t i) {
    const auto line = static_cast<int64_t>(i);
    return (entry.lines.is_document ? line : request.numbers.of(line) - 1) /
           translator.chunk_size();
  };
  std::vector<std::size_t> all;
  for (std::size_t i = entry.done; i < request.lines.size() && chunk_of(i) == chunk_of(entry.done);
       ++i)
    all.push_back(i);
  // Random draws depend on a line's number in the chunk, so the chunk stays whole.
  if (samples(translator.config().sampling) || !request.prefixes.empty()) {
    entry.turns.push_back(std::move(all));
    return;
  }
  const auto batches = translator.batches_of(part_of(request, all));
  const auto together = static_cast<std::size_t>(limits_.threads);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    // A last batch alone would be searched by all threads, with other bits, so it joins the ones
    // before.
    const bool would_be_alone = together > 1 && i + 1 == batches.size();
    if (i % together == 0 && (i == 0 || !would_be_alone)) entry.turns.emplace_back();
    for (const int64_t line : batches[i])
      entry.turns.back().push_back(all[static_cast<std::size_t>(line)]);
  }
  // Lines without pieces are in no batch, but need a turn.
  if (entry.turns.empty()) entry.turns.emplace_back();
  std::vector<std::size_t> planned;
  for (const auto& turn : entry.turns) planned.insert(planned.end(), turn.begin(), turn.end());
  std::ranges::sort(planned);
  std::ranges::set_difference(all, planned, std::back_inserter(entry.turns.back()));
  for (auto& turn : entry.turns) std::ranges::sort(turn);  // batches are cut from sorted lines
}

std::vector<RequestQueue::BatchLine> RequestQueue::next_batch(const EntryPtr& first) const {
  std::vector<BatchLine> batch;
  if (!shares_batches(*first)) {
    if (first->turns.empty()) plan_turns(*first);
    for (const std::size_t line : first->turns.front()) batch.push_back({first, line});
    first->turns.pop_front();
    return batch;
  }
  std::vector<EntryPtr> fellows = {first};
  for (const EntryPtr& entry : entries_)
    if (entry != first && entry->model() == first->model() && shares_batches(*entry) &&
        entry->n_best() == first->n_best())
      fellows.push_back(entry);
  // A batch has as many lines as all threads search at once, fewer of them where they are long.
  // Small batches are answered early. If more lines wait, those of about the length of the first
  // are taken, because these are searched faster together.
  const int64_t each = models_[first->model()].translator->batch_size() / 2;
  const auto most = static_cast<std::size_t>(std::max<int64_t>(1, each) * limits_.threads);
  int64_t room = kBytesOfLine * static_cast<int64_t>(most);
  const auto length = [&](const BatchLine& one) { return size_of(*one.entry, one.line); };
  for (std::size_t round = 0; !fellows.empty() && batch.size() < most; ++round) {
    std::vector<BatchLine> turn;  // the next line of each request
    for (const EntryPtr& entry : fellows) turn.push_back({entry, entry->done + round});
    const int64_t first_length = length(batch.empty() ? turn.front() : batch.front());
    std::ranges::stable_sort(
        turn, {}, [&](const BatchLine& one) { return std::abs(length(one) - first_length); });
    for (const BatchLine& one : turn) {
      room -= length(one);
      if (!batch.empty() && (room < 0 || batch.size() == most)) return batch;
      batch.push_back(one);
    }
    std::erase_if(fellows, [&](const EntryPtr& entry) {
      return entry->done + round + 1 == entry->request().lines.size();
    });
  }
  return batch;
}

void RequestQueue::translate(const std::vector<BatchLine>& batch) {
  const EntryPtr& first = batch.front().entry;
  const ServedModel& model = models_[first->model()];
  std::vector<std::size_t> chosen;
  for (const BatchLine& one : batch) chosen.push_back(one.line);
  decode::LinesRequest request;
  if (!shares_batches(*first)) {
    request = part_of(first->request(), chosen);
  } else {  // the numbers of these lines matter to no draw and no message
    request.search = first->request().search;
    for (const BatchLine& one : batch)
      request.lines.push_back(one.entry->request().lines[one.line]);
  }
  std::vector<EntryPtr> asking;
  for (const BatchLine& one : batch)
    if (std::ranges::find(asking, one.entry) == asking.end()) asking.push_back(one.entry);
  std::atomic<bool> is_given_up = false;
  const auto given_up = [&] {
    if (!is_given_up)
      is_given_up = std::ranges::all_of(
          asking, [&](const EntryPtr& entry) { return is_late(*entry) || entry->reply.gone(); });
    return is_given_up.load();
  };
  decode::LinesResult result = model.translator->translate(request, {.interrupted = given_up});
  if (is_given_up) return;  // all are dropped before the next turn
  std::vector<decode::Translation>& found = result.translations;
  const double seconds = result.text_seconds + result.search_seconds;
  count(model, batch.size(), seconds);

  const std::scoped_lock lock(mutex_);
  seconds_per_line_ += 0.1 * (seconds / static_cast<double>(batch.size()) - seconds_per_line_);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].entry->found[batch[i].line] = std::move(found[i]);
    batch[i].entry->size -= size_of(*batch[i].entry, batch[i].line);
    ++batch[i].entry->done;
  }
  waiting_ -= std::ssize(batch);
}

/// Answers the requests that are complete; the others go to the end of the queue.
void RequestQueue::answer_complete(const std::vector<BatchLine>& batch) {
  std::vector<EntryPtr> took_part;
  for (const BatchLine& one : batch)
    if (std::ranges::find(took_part, one.entry) == took_part.end()) took_part.push_back(one.entry);
  {
    const std::scoped_lock lock(mutex_);
    for (const EntryPtr& entry : took_part) {
      std::erase(entries_, entry);
      if (entry->left() > 0) entries_.push_back(entry);
    }
  }
  for (const EntryPtr& entry : took_part) {
    if (entry->left() > 0) continue;
    entry->reply.send(response_of(
        [&] { return entry->lines.answer(entry->request(), std::move(entry->found)); }));
  }
}

void RequestQueue::answer_task(const EntryPtr& entry) {
  std::optional<QueuedLines> lines;
  http::Response response = response_of([&] {
    auto answer = entry->task.answer(*models_[entry->model()].translator);
    if (auto* const asked = std::get_if<QueuedLines>(&answer)) lines = std::move(*asked);
    return lines ? http::Response{} : std::get<http::Response>(std::move(answer));
  });
  if (!lines) return entry->reply.send(std::move(response));
  set_lines(*entry, *std::move(lines));
  take(entry);
}

bool RequestQueue::work(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  came_.wait_for(lock, wait, [&] { return !entries_.empty(); });
  drop_late_and_abandoned();
  if (entries_.empty()) return false;
  const EntryPtr first = next_entry();
  if (first->is_task) {
    remove(first);
    lock.unlock();
    answer_task(first);
    return true;
  }
  std::vector<BatchLine> batch{{first, 0}};  // the request that fails if no batch can be made
  try {
    batch = next_batch(first);
    lock.unlock();
    translate(batch);
  } catch (...) {
    const http::Response problem = response_of_exception();
    if (!lock.owns_lock()) lock.lock();
    for (const BatchLine& one : batch)
      if (std::ranges::find(entries_, one.entry) != entries_.end()) remove(one.entry);
    lock.unlock();
    for (const BatchLine& one : batch) one.entry->reply.send(problem);
    return true;
  }
  answer_complete(batch);
  return true;
}

}  // namespace heed::serve
