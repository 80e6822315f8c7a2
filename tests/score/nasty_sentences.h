// Sentences that tokenisers trip over: punctuation, numbers, entities, scripts, blanks of all
// kinds.
#pragma once

#include <string>
#include <vector>

namespace heed::score {

inline std::vector<std::string> nasty_hypotheses() {
  return {"The cat sat on the mat.",
          "",
          "It cost 3,000.50 dollars, i.e. 1,5 per cent ...",
          "&quot;Tom &amp; Jerry&quot; are &lt;here&gt; &amp;lt; &apos;now&apos;",
          "U.S. GDP rose 3.5%-4% in 1990-1995, e.g.,the .5 and 5. and 5.x of it",
          "Das ist ein well-known <skipped>Satz mit Umlauten: äöüß ÄÖÜ „Zitat“ – ja…",
          "我们 喜欢 漂亮的 城市,3.5 。",
          "مرحبا بالعالم، كيف حالك؟",
          "a\tb\u00a0c\u2003d\u3000e \x1c f",
          "ΟΔΟΣ ΣΟΦΙΑΣ İstanbul ẞ DŽ",
          "smile \U0001F600 family \U0001F468\u200D\U0001F469 flags!!! ??? ;;; {x} [y] ~z ^w _v "
          "`u` |t|",
          "-5 - 6 -- 7-8 9- -a a-b 1-a",
          "trailing blanks   ",
          ".,.,.,1.,2,.3",
          "$100 50€ #1 @home a/b c\\d 'x' x's don't"};
}

inline std::vector<std::string> nasty_references() {
  return {
      "The cat is sitting on the mat .",
      "An empty hypothesis stands against this.",
      "It cost 3,000.50 dollars, i.e. 1.5 per cent...",
      "\"Tom & Jerry\" are <here> &lt; 'now'",
      "The U.S. GDP rose 3.5%-4% in 1990-1995, e.g., the .5 and 5. and 5.x of it",
      "Das ist ein well-known Satz mit Umlauten: äöüß äöü „Zitat“ – Ja…",
      "我们 喜欢 漂亮的 城市,3.5 。",
      "مرحبا بالعالم، كيف حالكم؟",
      "a b c d e f g",
      "οδος σοφιας istanbul ß dž",
      "smile \U0001F600 family \U0001F468\u200D\U0001F469 flags!! ?? ;; {x} [y] ~z ^w _v `u` |t|",
      "-5 - 6 -- 7-8 9 - -a a-b 1-a",
      "trailing blanks",
      ".,.,1.,2,.3",
      "$100 50€ # 1 @home a/b c\\d ' x ' x's don't"};
}

}  // namespace heed::score
