import type { PageFixture } from "../fixture.ts";

const files = {
  "long/index.html": `<!doctype html><h2 id="biography">Life</h2><h2 id="exhibitions">Shows</h2><h2 id="part-1">1</h2><h2 id="part-2">2</h2>`,
};

export const cases: PageFixture = {
  "link.fragment-missing": {
    bad: [
      { main: `<a href="/about/#nowhere">x y</a>`, safe: false, evidence: { nearest: null } },
      {
        why: "a slip of the pen",
        main: `<a href="/long/#biografy">x y</a>`,
        files,
        safe: true,
        evidence: { fragment: "biografy", nearest: "biography", distance: 2 },
      },
      {
        why: "written otherwise",
        main: `<a href="/long/#Exhibitions">x y</a>`,
        files,
        safe: true,
        evidence: { nearest: "exhibitions" },
      },
      {
        why: "a script reacts to fragments",
        main: `<a href="#one">x y</a><script>addEventListener("hashchange", show)</script>`,
        severity: "notice",
        safe: false,
      },
      {
        why: "a script of its own file reacts to fragments",
        main: `<a href="#one">x y</a><script src="/hash.js"></script>`,
        files: { "hash.js": "show(location.hash)" },
        severity: "notice",
      },
      {
        why: "a script at the same address doesn’t",
        main: `<a href="#one">x y</a><script src="/hash.js"></script>`,
        files: { "hash.js": "count()" },
        severity: "error",
      },
      { why: "a setting that no script reads", main: `<a href="#slide=4">x y</a>` },
      {
        why: "an image whose map isn’t there",
        main: `<img src="../p.png" alt="A" width="1" height="1" usemap="#parts">`,
        target: "#parts",
        message: "its links are lost",
      },
      {
        why: "two come into question",
        main: `<a href="/long/#part-3">x y</a>`,
        files,
        safe: false,
      },
      {
        why: "a redirect takes the fragment along",
        main: `<a href="/moved#biografy">x y</a>`,
        files,
        redirects: { "/moved": "/then", "/then": "/long/" },
        safe: true,
        target: "/long/#biografy",
      },
    ],
    good: [
      {
        why: "a setting for a script",
        main: `<a href="#slide=4">x y</a><script>addEventListener("hashchange", show)</script>`,
      },
      {
        why: "a script handles the click",
        main: `<a href="#map" data-bs-toggle="modal">a</a><a href="#two" role="tab">b</a><a href="#menu" aria-controls="m">c</a>`,
      },
      {
        why: "the image has its map",
        main: `<img src="../p.png" alt="A" width="1" height="1" usemap="#parts"><map name="parts"></map>`,
      },
      {
        why: "a redirect takes along what is there, and what it names itself holds",
        main: `<a href="/moved#biography">a</a><a href="/named#gone">b</a><a href="/away#x">c</a><a href="/loop#x">d</a>`,
        files,
        redirects: {
          "/moved": "/long/",
          "/named": "/long/#exhibitions",
          "/away": "https://other.example/",
          "/loop": "/loop",
        },
      },
      {
        main: `<a href="/about/#top-of-it">a</a><a href="#main">b</a><a href="#top">c</a><a href="/about/#:~:text=Me">d</a>`,
      },
      {
        why: "the id itself is escaped",
        main: `<h2 id="impl-Add%3C%26str%3E">Add</h2><a href="#impl-Add%3C%26str%3E">a</a>`,
      },
      { why: "for a script", main: `<a href="#/route">a</a><a href="#!x">b</a>` },
      { why: "of others", main: `<a href="https://other.example/#nowhere">a</a>` },
      { why: "the page is gone", main: `<a href="/gone/#x">a</a>` },
    ],
  },
};
