// The page of `heed attention`: its looks.
#include "eval/attention_page.h"

namespace heed::eval {

const char* const kAttentionPageStyle = R"css(:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1d2430; --quiet: #5b6576; --line: #d5dae3; --field: #f5f7fa;
  --mark: #c2410c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181f; --ink: #e8ebf0; --quiet: #a3adbd; --line: #343c4a; --field: #1d232d;
    --mark: #ffb454;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { background: var(--paper); }
body {
  margin: 0 auto; padding: 1rem 1.2rem; max-width: 110rem; color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: .85rem; margin: 1.2rem 0 .3rem; color: var(--quiet); font-weight: 600; }
.bar {
  position: sticky; top: 0; z-index: 3; background: var(--paper); padding: .5rem 0;
  border-bottom: 1px solid var(--line);
}
@media (max-height: 32rem) { .bar { position: static; } }
.choosers { display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: end; }
.choosers label { display: grid; font-size: .8rem; color: var(--quiet); min-width: 0; }
select, button.step {
  font: inherit; font-size: .9rem; color: var(--ink); background: var(--field);
  border: 1px solid var(--line); border-radius: 6px; padding: .25rem .5rem;
  max-width: min(30rem, 62vw); text-overflow: ellipsis;
}
.legend {
  display: flex; gap: .4rem; align-items: center; margin-inline-start: auto; font-size: .8rem;
  color: var(--quiet);
}
.scale { width: 8rem; height: .8rem; border: 1px solid var(--line); }
.status {
  height: 1.5em; margin: .4rem 0 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
@media (max-width: 40rem) { .status { height: 3em; white-space: normal; } }
.tokens { display: flex; flex-wrap: wrap; gap: .3rem; }
.token {
  display: grid; justify-items: center; border: 1px solid var(--line); border-radius: 6px;
  padding: .1rem .4rem; cursor: default; user-select: none; white-space: pre; max-width: 100%;
  min-width: 3rem;  /* room for 100% below a comma */
}
.token span { overflow: hidden; text-overflow: ellipsis; max-width: 100%; }
.token small { font-size: .68rem; line-height: 1; min-height: 1em; }
.active { outline: 2px solid var(--mark); outline-offset: -1px; }
.token.active { background: var(--field); }
.token[aria-pressed="true"] { outline-width: 3px; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 1px; z-index: 1; }
td:focus-visible { outline-offset: -2px; }
.panels { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.panels section { min-width: 0; max-width: 100%; }
.scroll {
  overflow: auto; max-height: calc(100vh - 9rem); min-height: 16rem; width: fit-content;
  max-width: 100%; padding: 2px;
}
#glance .scroll { max-height: 60vh; min-height: 0; padding: 4px; }
table { border-collapse: separate; border-spacing: 1px; font-size: .8rem; }
th { font-weight: 400; background: var(--paper); white-space: pre; padding: 0; }
th span { display: block; overflow: hidden; text-overflow: ellipsis; }
thead th { position: sticky; top: 0; vertical-align: bottom; z-index: 1; padding-bottom: .3rem; }
thead th span {
  writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
  max-height: 11rem; line-height: 1.4rem; margin: auto;
}
tbody th { position: sticky; left: 0; text-align: right; padding: 0 .4rem; }
tbody th span { max-width: min(14rem, 28vw); line-height: 1.4rem; margin-inline-start: auto; }
thead th:first-child { left: 0; z-index: 2; }
/* Not bold: the columns would move. */
th.active { outline: none; color: var(--mark); text-shadow: 0 0 .7px currentColor; }
td {
  width: 1.4rem; min-width: 1.4rem; height: 1.4rem; padding: 0;
  box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--line) 45%, transparent);
}
.heads { display: grid; gap: .4rem; width: max-content; align-items: center; font-size: .75rem; }
.heads span { color: var(--quiet); white-space: nowrap; }
.heads .name { justify-self: center; }
.heads button {
  display: block; padding: 0; border: 1px solid var(--line); background: none; cursor: pointer;
}
.heads button[aria-pressed="true"] { outline: 3px solid var(--mark); }
.heads button:focus-visible { outline-style: dashed; outline-width: 3px; }
canvas { display: block; image-rendering: pixelated; }
footer { margin-top: 1.5rem; font-size: .8rem; color: var(--quiet); max-width: 60rem; }
.token, td, canvas, .scale { forced-color-adjust: none; }
@media print { .bar { position: static; } .scroll { max-height: none; overflow: visible; } }
)css";

}  // namespace heed::eval
