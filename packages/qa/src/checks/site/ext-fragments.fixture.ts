import type { SiteFixture } from "../fixture.ts";
import { answering } from "./ext-links.fixture.ts";

const url = "https://other.example/a";
const to = (fragment: string, body: string) => answering(body, {}, `${url}#${fragment}`);

export const cases: SiteFixture = {
  "ext.fragment-unverifiable": {
    bad: [
      {
        ...answering("<p>x", {}, "https://other.example/#/route"),
        page: "/",
        evidence: { urls: ["https://other.example/#/route"] },
      },
    ],
    good: [
      { why: "most places are there", ...answering("<p>x", {}, "https://other.example/a#part") },
      { why: "its own", responses: { "/": `<a href="#/x">x</a>` } },
    ],
  },
  "ext.fragment-missing": {
    bad: [
      {
        ...to("part", "<h2 id=other>x</h2>"),
        severity: "warning",
        target: `${url}#part`,
        evidence: { fragment: "part", scripts: false },
      },
      {
        why: "a script may add it",
        ...to("part", "<h2 id=other>x</h2><script src=/x.js></script>"),
        severity: "notice",
        message: "a script may add it",
      },
      {
        why: "a redirect may have led elsewhere",
        ...answering({ to: "/b", body: "<p>x" }, {}, `${url}#part`),
        severity: "notice",
      },
    ],
    good: [
      to("part", `<h2 id="part">x</h2>`),
      to("part", "<a name=part>x</a>"),
      to("caf%C3%A9", `<h2 id="caf\u00e9">x</h2>`),
      to("a&b", `<h2 id='a&amp;b'>x</h2>`),
      to("install", `<h2 id="user-content-install">x</h2>`),
      { why: "the top of the page", ...to("top", "<p>x") },
      { why: "text to look for", ...to(":~:text=x", "<p>x") },
      { why: "a route of a script", ...to("/x", "<p>x") },
      { why: "no page", ...answering({ type: "text/plain", body: "x" }, {}, `${url}#part`) },
      { why: "not read to its end", ...answering({ truncated: true }, {}, `${url}#part`) },
      { why: "the redirect has a section", ...answering({ to: "/b#c" }, {}, `${url}#part`) },
    ],
  },
};
