/** The styles of the HTML report, in light and dark. */
export const htmlStyle = `
:root{color-scheme:light dark;--text:#1c1c1a;--soft:#5c5b56;--back:#f7f6f3;--card:#fff;--line:#dedcd5;--error:#b3261e;--warning:#8a5300;--notice:#2d5f9a;--review:#6b4a94}
@media (prefers-color-scheme:dark){:root{--text:#ecebe6;--soft:#aeaca4;--back:#171716;--card:#20201e;--line:#3a3935;--error:#ff8a80;--warning:#f3b25c;--notice:#8fbcf0;--review:#c7a9ec}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{margin:0;font-size:1.75rem;line-height:1.2}
h2{margin:2.5rem 0 .75rem;font-size:1.25rem}
h2 small{color:var(--soft);font-weight:400}
h3{margin:0;font-size:1rem}
p{margin:.4rem 0}
a{color:inherit;text-underline-offset:.2em}
a:focus-visible,summary:focus-visible{outline:2px solid var(--notice);outline-offset:2px}
header p,footer,.check,li span,.notes{color:var(--soft)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin:1rem 0 0;padding:0;list-style:none;font-weight:600}
article{margin:0 0 .75rem;padding:1rem 1.25rem;background:var(--card);border:1px solid var(--line);border-left:4px solid var(--kind);border-radius:6px}
.error{--kind:var(--error)}.warning{--kind:var(--warning)}.notice{--kind:var(--notice)}.review{--kind:var(--review)}
h3 b,.counts li{color:var(--kind)}
h3 b{margin-right:.35rem}
article ul{margin:.4rem 0;padding-left:1.25rem}
code{font:.875em ui-monospace,monospace}
.check{margin-bottom:0;font-size:.875rem}
summary{display:inline-block;padding:.25rem 0;cursor:pointer}
summary::before{content:"▸ "}
details[open] summary::before{content:"▾ "}
figure{position:relative;display:inline-block;margin:.6rem 0;max-width:100%;border:1px solid var(--line);line-height:0;overflow:hidden}
figure img{max-width:100%;height:auto}
figure span{position:absolute;outline:2px solid #d6249f;outline-offset:2px}
footer{padding-top:1rem;padding-bottom:2.5rem;font-size:.875rem}
@media print{article{break-inside:avoid}}
`;
