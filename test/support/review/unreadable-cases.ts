import { gzipSync } from "node:zlib";
import { type Change, svg } from "./change.ts";

/** Each brings what can’t be looked into, so a person has to. */
export const unreadableCases: readonly [name: string, change: Change][] = [
  ["program", { "x.php": "<?php ?>" }],
  ["server side includes", { "x.shtml": "<p>x</p>" }],
  ["file without a kind", { _redirects: "/* https://evil.example 301" }],
  ["archive", { "index.html.gz": "x" }],
  ["PDF", { "x.pdf": "%PDF" }],
  ["page in UTF-16", { "x.html": Buffer.from("\ufeff<script>alert(1)</script>", "utf16le") }],
  ["page in another encoding", { head: "<meta charset=iso-2022-jp>" }],
  ["page that shifts its encoding", "<p>\u001b$B</p>"],
  [
    "drawing with entities",
    { "x.svg": `<!DOCTYPE svg [<!ENTITY x "<script>1</script>">]>${svg("&x;")}` },
  ],
  [
    "drawing in UTF-16 without a mark",
    { "x.svg": Buffer.from(svg("<script>1</script>"), "utf16le") },
  ],
  ["style sheet in another encoding", { "x.css": '@charset "gbk";a{}' }],
  ["drawing in another encoding", { "x.svg": `<?xml version="1.0" encoding="utf-7"?>${svg("")}` }],
  ["drawing that is none", { "x.svgz": "\u001f\u008b" }],
  ["page that is too large", { "x.html": `<p>${"x".repeat(4 * 1024 * 1024)}` }],
  ["tags within tags", { "x.html": "<a/b=".repeat(20_000) }],
  ["text for a style sheet", { head: '<link rel=stylesheet href="/robots.txt">' }],
  ["search index of another kind", { "pagefind/fragment/en_1.pf_fragment": gzipSync("{}") }],
  [
    "part of a search index of another kind",
    { [`pagefind/${"0a".repeat(16)}/fragment/en_1.pf_fragment`]: gzipSync("{}") },
  ],
  ["search index that isn't packed", { "pagefind/index/en_1.pf_index": "<p>x" }],
  ["document with an action", { "x.pdf": "%PDF-1.7 <</S /JavaScript /JS (1)>>" }],
  ["document with an action in disguise", { "x.pdf": "%PDF-1.7 <</S /J#61vaScript>>" }],
  ["document with an address in disguise", { "x.pdf": "%PDF-1.7 <</S /UR#49 /U#52I (x)>>" }],
  ["document with packed objects", { "x.pdf": "%PDF-1.7 <</Type /ObjStm>>" }],
  ["document with an address in hex", { "x.pdf": "%PDF-1.7 <</S /URI /URI <68>>>" }],
  ["document that is none", { "x.pdf": "<script>1</script>" }],
];
