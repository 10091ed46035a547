/** Style of the pages of a report: readable on a phone, on paper, and in a dark room. */
export const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881;--good:#05620e;--bad:#a40000;--half:#7a4d00}
@media(prefers-color-scheme:dark){:root{--good:#7fd88a;--bad:#ff8d85;--half:#f2c063}}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin-bottom:.2rem}h2{margin-top:2.2rem;font-size:1.25rem}h3{font-size:1rem;margin:1.6rem 0 .3rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.2rem .8rem;border-bottom:1px solid var(--line);text-align:left}td.n,th.n{text-align:right}
tfoot th,tfoot td{border-top:2px solid var(--line);font-weight:600}
pre{background:var(--soft);padding:.8rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
.verdict{font-size:1.3rem;margin:.3rem 0;padding:.5rem .8rem;border-left:.4rem solid;background:var(--soft)}
blockquote{margin:.3rem 0;padding:.1rem .8rem;border-left:.2rem solid var(--line)}
.bad{color:var(--bad)}.good{color:var(--good)}.half{color:var(--half)}.small{font-size:.9rem;opacity:.85}
progress{width:100%;height:.5rem}details{margin:.4rem 0}summary{cursor:pointer}dt{font-weight:600;margin-top:.6rem}dd{margin-left:0}
:target{background:#fd08}`
