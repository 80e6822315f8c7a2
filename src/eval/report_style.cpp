// The look of the report: one column, tables that scroll on their own, ink on paper when printed.
#include "eval/report.h"

namespace heed::eval {

const char* const kReportStyle = R"css(
:root {
  --ink: #1d2430; --quiet: #667085; --line: #dde1e8; --field: #f5f7fa;
  --good: #0b6e4f; --bad: #a3341f;
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 64rem; background: #fff; color: var(--ink);
  font: 16px/1.55 system-ui, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 {
  font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-bottom: .3rem;
  border-bottom: 1px solid var(--line);
}
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; max-width: 46rem; }
.headline { font-size: 1.1rem; border-left: 4px solid #0072b2; padding: .2rem 0 .2rem .8rem; }
.quiet { color: var(--quiet); font-size: .88rem; }
.wide { overflow-x: auto; }
svg { max-width: 100%; height: auto; }
figure { margin: 1rem 0; }
figcaption { color: var(--quiet); font-size: .9rem; margin-top: .3rem; }
.pictures {
  display: grid; gap: 1.2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr));
}
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td {
  padding: .35rem .45rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; white-space: nowrap;
}
thead th { border-bottom: 2px solid var(--line); font-weight: 600; }
th:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
td small, th small {
  display: block; color: var(--quiet); font-weight: 400; font-size: .76rem; line-height: 1.35;
}
td small.better { color: var(--good); }
td small.worse { color: var(--bad); }
.sample {
  border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; margin: .8rem 0;
}
.sample dl {
  display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem .9rem; margin: 0;
}
.sample dt { color: var(--quiet); font-size: .88rem; }
.sample dd { margin: 0; overflow-wrap: anywhere; }
pre {
  background: var(--field); border-radius: 8px; padding: .7rem .9rem; overflow-x: auto;
  font-size: .85rem;
}
code { font-size: .85em; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; }
@media (max-width: 36rem) {
  body { padding: 1rem .8rem 2rem; }
  .sample dl { grid-template-columns: 1fr; }
  .sample dd { margin-bottom: .35rem; }
  .curve svg { max-width: none; width: 46rem; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 11pt; }
  .wide { overflow: visible; }
  figure, .sample, tr { break-inside: avoid; }
  th:first-child { position: static; }
  table { font-size: 8pt; }
  th, td { padding: .2rem .3rem; }
}
)css";

}  // namespace heed::eval
