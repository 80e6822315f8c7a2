// Loops over the numbers of one row, that several kernels need.
#pragma once

#include <cstdint>

namespace heed::kernels {

/// The largest of at least one number; a NaN among them may be passed over.
float largest(const float* x, int64_t count);
/// The largest |x|, 0 for no numbers; NaN where one is NaN.
float largest_magnitude(const float* x, int64_t count);
float sum(const float* x, int64_t count);
double sum_of_squares(const float* x, int64_t count);
/// x becomes e^(x - most); returns their sum.
float exponentials(float* x, int64_t count, float most);
float dot(const float* x, const float* y, int64_t count);
void scale_and_shift(float* x, int64_t count, float factor, float shift);  // factor x - shift

/// Conversions between fp32 and bf16.
void widen(const uint16_t* from, float* to, int64_t count);
void narrow(const float* from, uint16_t* to, int64_t count);

// Loops of a decoder's step: activations, and the sums of scores that a search needs.

/// x becomes tanh(x).
void tangents(float* x, int64_t count);

/// x sigmoid(x), and x P(Z <= x) for a standard normal Z.
void silu(float* x, int64_t count);
void gelu(float* x, int64_t count);

/// to = scale * x + y, or without y where it is null.
void scale_and_add(const float* x, float scale, const float* y, int64_t count, float* to);

/// to += sigmoid(i) x + sigmoid(f) y, with i and f in `gates` [2 * width]; x may be `to`.
void add_gated(const float* gates, const float* x, const float* y, int64_t width, float* to);

/// to(i) = x . rows(i), and to = sum over i of weights(i) rows(i), of rows [count, width].
void dot_rows(const float* x, const float* rows, int64_t count, int64_t width, float* to);
void mix_rows(const float* weights, const float* rows, int64_t count, int64_t width, float* to);

/// The largest of some scores, and the sum of e^(score - most). NaN where a score is no number.
struct ScoreSum {
  float most = 0, sum = 0;
};
ScoreSum score_sum_of(const float* scores, int64_t count);

/// log softmax(x) = (x - most) - log_sum. NaN where a score is no number.
struct Partition {
  float most = 0, log_sum = 0;
};
Partition partition_of(const float* scores, int64_t count);
/// The partition of a row from the sums of its blocks, which lie `stride` apart (Milakov and
/// Gimelshein 2018).
Partition partition_of(const ScoreSum* blocks, int64_t count, int64_t stride);

/// to += softmax(scores), where `partition` is that of the scores; a probability below e^-87 counts
/// as e^-87.
void add_probabilities(const float* scores, const Partition& partition, int64_t count, float* to);

}  // namespace heed::kernels
