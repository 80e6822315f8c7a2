// The page of `heed attention`: its frame.
#include "eval/attention_page.h"

namespace heed::eval {

const char* const kAttentionPageMarkup = R"html(<!DOCTYPE html>
<!-- Attention weights, to look at. Everything is in this file: nothing is loaded from elsewhere.
The element "data" has it as JSON: for each sentence its lines of tokens, its views (kind, layer,
head, and which lines are its rows and columns), and all their weights to four decimals. They are
packed to keep the page small: base64 of a zlib stream, row by row, in ten-thousandths; below 128
one byte, else the low seven bits + 128 and then the rest. -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
@style@</style>
</head>
<body>
<h1>@title@</h1>
<div class="bar">
  <div class="choosers">
    <label>Sentence<select id="sentence"></select></label>
    <button class="step" id="before" type="button" aria-label="Sentence before">&#8592;</button>
    <button class="step" id="after" type="button" aria-label="Next sentence">&#8594;</button>
    <label>Kind<select id="kind"></select></label>
    <label>Layer<select id="layer"></select></label>
    <label>Head<select id="head"></select></label>
    <div class="legend" role="img" id="legend">
      <span>0</span><span class="scale"></span><span id="largest"></span>
    </div>
  </div>
  <p class="status" id="status" role="status"></p>
</div>
<main>
  <h2 id="source-name">Source</h2>
  <div class="tokens" id="source" role="toolbar" aria-labelledby="source-name"></div>
  <h2 id="target-name">Target</h2>
  <div class="tokens" id="target" role="toolbar" aria-labelledby="target-name"></div>
  <div class="panels">
    <section id="glance" aria-labelledby="glance-name">
      <h2 id="glance-name">All heads on one scale</h2>
      <div class="scroll">
        <div class="heads" id="heads" role="toolbar" aria-labelledby="glance-name"></div>
      </div>
    </section>
    <section aria-labelledby="matrix-name">
      <h2 id="matrix-name">Matrix: a row is a token that looks, a column one that is looked at</h2>
      <div class="scroll" id="scroll">
        <table id="matrix" role="grid" aria-labelledby="matrix-name"></table>
      </div>
    </section>
  </div>
</main>
<footer>
  <span id="rule"></span> Point at a token or a cell, or tab to one and move with the arrow keys.
  A click or Enter keeps a token lit while you change layer and head; Escape lets go.
</footer>
<script type="application/json" id="data">@data@</script>
<script>
@script@@actions@</script>
</body>
</html>
)html";

}  // namespace heed::eval
