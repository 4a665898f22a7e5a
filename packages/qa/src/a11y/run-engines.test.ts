import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { A11yIssue, A11yResult } from "../browser/visit.ts";
import { runInJsdom } from "./jsdom.ts";
import { silentVideo, toneOf } from "../../../../test/support/sounds.ts";
import {
  installEngines,
  collectFrom,
  checkAccessibility,
  defaultCollectOptions,
} from "./run-engines.ts";

let browser: Browser;
let page: Page;
let session: CDPSession;
/** What `show` shows. */
let shown = "";
/** Where it shows it. */
const site = "http://site.test";

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
  page = await browser.newPage();
  session = await page.context().newCDPSession(page);
  await installEngines(session);
  await page.route("**/*", (route) => {
    const { origin, pathname } = new URL(route.request().url());
    if (origin !== site || pathname.startsWith("/missing")) return route.fulfill({ status: 404 });
    const tone = /^\/tone\/(\d+)\.wav$/.exec(pathname)?.[1];
    if (tone) return route.fulfill({ contentType: "audio/wav", body: toneOf(Number(tone)) });
    if (pathname === "/silent.webm") {
      return route.fulfill({ contentType: "video/webm", body: silentVideo });
    }
    return route.fulfill({
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": "script-src 'none'; require-trusted-types-for 'script'",
      },
      body:
        pathname === "/inside"
          ? '<!doctype html><html lang="en"><title>In</title><img src="/missing.png">'
          : shown,
    });
  });
});
afterAll(() => browser?.close());

async function look(body: string, { head = "", path = "/about/" } = {}): Promise<A11yResult> {
  const title = head.includes("<title") ? "" : "<title>Bees of the Alps</title>";
  shown = `<!doctype html><html lang="en"><head>${title}${head}</head><body><main><h1>Bees</h1>${body}</main></body></html>`;
  await page.goto(site + path);
  return checkAccessibility(session);
}

const sure = ({ issues }: A11yResult, rule: string): A11yIssue[] =>
  issues.filter((issue) => issue.rule === rule && issue.confidence === "confirmed");

/** The confidence of a rule's issues. */
const confidences = ({ issues }: A11yResult, rule: string): string[] =>
  issues.filter((issue) => issue.rule === rule).map(({ confidence }) => confidence);

interface Pair {
  rule: string;
  act: string;
  /** Whether only a person can decide, because the rule is about what a text means. */
  asks?: true;
  bad: string;
  good: string;
  head?: [bad: string, good: string];
}

const p = "Bees fly from flower to flower all summer long, and rest in winter.";

/** Near misses of the rules of ours: all bad ones on one page, all good ones on another. */
const pairs: Pair[] = [
  {
    rule: "autocomplete-valid",
    act: "73f2c2",
    bad: '<label>Mail <input autocomplete="home e-mail"></label>',
    good: '<label>Mail <input autocomplete="section-me shipping HOME email"></label>',
  },
  {
    rule: "letter-spacing",
    act: "24afc2",
    bad: `<p style="letter-spacing: 0.05em !important">${p}</p>`,
    good: `<p style="letter-spacing: 0.05em">${p}</p><p style="letter-spacing: 0.2em !important">${p}</p>`,
  },
  {
    rule: "word-spacing",
    act: "9e45ec",
    bad: `<p style="word-spacing: 1px !important">${p}</p>`,
    good: `<p style="word-spacing: 0.16em !important">${p}</p>`,
  },
  {
    rule: "line-height",
    act: "78fd32",
    bad: `<p style="line-height: 1.2 !important; max-width: 12em">${p}</p>`,
    good: '<p style="line-height: 1.2 !important">One line.</p>',
  },
  {
    rule: "line-height",
    act: "78fd32",
    bad: '<p style="line-height: 1.2 !important; width: 9em">Bees <b>fly from</b> flower <i>to flower</i> all <b>summer</b></p>',
    good: '<p style="line-height: 1.2 !important">One <b>line</b>,<br><i>another</i> one</p>',
  },
  {
    rule: "aria-prohibited-attr",
    act: "kb1m8s",
    bad: '<div role="generic" aria-label="Honey">Wax</div>',
    good: '<div role="foo group" aria-label="Honey">Wax</div>',
  },
  {
    rule: "letter-spacing",
    act: "24afc2",
    bad: `<p style="letter-spacing: initial !important">${p}</p>`,
    good: `<div style="letter-spacing: 2px !important"><p style="font-size: 10px">${p}</p></div>`,
  },
  {
    rule: "focus-visible",
    act: "oj04fd",
    bad: '<style>.bare:focus { outline: none }</style><a class="bare" href="/a">All bees</a>',
    good: '<style>.line:focus { outline: none; border-bottom: 2px solid } .card::after { content: "" } .card:focus { outline: none } .card:focus::after { outline: 2px solid }</style><a class="line" href="/b">All ants</a><p><a class="card" href="/d">All bugs</a></p><style>.knob:focus { outline: 0 } .knob:focus::-webkit-slider-thumb { box-shadow: 0 0 0 4px }</style><label>Size <input class="knob" type="range"></label><a href="/c">All wasps</a>',
  },
  {
    rule: "aria-prohibited-attr",
    act: "kb1m8s",
    bad: '<div aria-label="Was 9, is 5"><s>9</s> 5</div>',
    good: '<div role="group" aria-label="Was 8, is 4"><s>8</s> 4</div>',
  },
  {
    rule: "error-message-descriptive",
    asks: true,
    act: "36b590",
    bad: "<form><label>Age <input></label> <span>Invalid value for age.</span></form>",
    good: "<form><label>Size <input></label> <span>Invalid size: a number is needed.</span></form>",
  },
  {
    rule: "identical-links-same-purpose",
    act: "b20e66",
    bad: '<p><a href="https://one.test/">Our place</a> or <a href="https://another.example/">our place</a></p>',
    good: '<p><a href="https://three.test/">Their place</a> or <a href="https://www.three.test/">their place</a></p>',
  },
  {
    rule: "td-headers-attr",
    act: "a25f45",
    bad: '<table><tr><th id="bad-a">A<tr><td headers="bad-b">1</table>',
    good: '<table><tr><th id="good-a">A<tr><td headers="good-a">1</table>',
  },
  {
    rule: "frame-focusable-content",
    act: "akn7bn",
    bad: '<iframe title="Play" tabindex="-1" srcdoc="<button>Play</button>"></iframe>',
    good: '<iframe title="Read" tabindex="-1" srcdoc="<p>Read</p>"></iframe>',
  },
  {
    rule: "presentation-role-conflict",
    act: "46ca7f",
    bad: '<img src="/missing.png" alt="" aria-label="A bee">',
    good: '<img src="/missing.png" alt=""><img src="/missing.png" alt="" aria-hidden="true">',
  },
  {
    rule: "image-name-descriptive",
    asks: true,
    act: "qt1vmo",
    bad: '<img src="/missing/nhs-logo.png" alt="Zenith logo">',
    good: '<img src="/missing/site-logo.png" alt="Zenith logo"><img src="/missing/zen.png" alt="Acme logo"><img src="/missing/zth-logo.png" alt="Zenith logo">',
  },
  {
    rule: "image-of-text",
    act: "0va7u6",
    bad: '<input type="image" src="/missing/send_button.png" alt="Send it">',
    good: '<input type="image" src="/missing/send.svg" alt="Send it"><input type="image" src="/missing/send_button.png" alt="Send" width="24" height="24">',
  },
  {
    rule: "label-content-name-mismatch",
    act: "2ee8b8",
    bad: '<button aria-label="Pay for your order" style="font-family: Roboto, Segoe UI Symbol">send</button>',
    good: '<button aria-label="Send your order">Send</button><button aria-label="E-mail us">Email us</button><button aria-label="Close">×</button><button aria-label="Close"><i class="material-icons">clear</i></button><button aria-label="Close"><i class="material-symbols-outlined">cancel</i></button><a href="/a" aria-label="Find a hive"><b style="font-family: Material Symbols Rounded, sans-serif">search</b></a><button aria-label="Assistive technology">Asst. tech.</button><a href="/a" aria-label="Frequently asked questions">FAQ</a>',
  },
  {
    rule: "identical-links-same-purpose",
    act: "fd3a94",
    bad: '<p><a href="/list?of=bees">Our list</a> or <a href="/list?of=ants">our list</a></p>',
    good: '<p><a href="/list?of=bees">All bees</a> or <a href="/list?of=ants">all ants</a></p><a href="/p?ref=nav&amp;utm_source=a">Prices</a> <a href="/p?utm_source=b">Prices</a> <a href="/login?return_to=%2Fa">Sign in</a> <a href="/login?return_to=%2Fb">Sign in</a> <a href="/try?cta=top">Try it</a> <a href="/try?cta=end">Try it</a>',
  },
  {
    rule: "frame-title-unique",
    act: "4b1c6c",
    bad: '<iframe title="Map" srcdoc="<p>Bees</p>"></iframe><iframe title="map" srcdoc="<p>Ants</p>"></iframe>',
    good: '<iframe title="Plan" src="/missing/a"></iframe><iframe title="Plan" src="/missing/a"></iframe><iframe title="Guide" src="/missing/c"></iframe><iframe title="Guide" src="/missing/d"></iframe>',
  },
  {
    rule: "clipped-on-zoom",
    act: "59br37",
    bad: `<div style="overflow: hidden; height: 1.4em; width: 10em">${p}</div>`,
    good: `<div style="overflow: auto; height: 1.4em; width: 10em" tabindex="0">${p}</div><div style="overflow: hidden; height: 8px">${p}</div><div><div style="overflow: hidden; height: 1.4em; width: 10em">${p}</div><button aria-expanded="false">Show more</button></div>`,
  },
  {
    rule: "link-purpose",
    asks: true,
    act: "5effbb",
    bad: '<div><p><a href="/x">Read more</a></p></div>',
    good: '<p>How bees fly: <a href="/y">read more</a></p>',
  },
  {
    rule: "label-descriptive",
    asks: true,
    act: "cc0f0a",
    bad: "<fieldset><label>City <input></label></fieldset><fieldset><label>City <input></label></fieldset>",
    good: "<fieldset><legend>Home</legend><label>Street <input></label></fieldset><fieldset><legend>Work</legend><label>Street <input></label></fieldset>",
  },
  {
    rule: "language-of-text",
    act: "off6ek",
    bad: `<p lang="de">${p} The bees are the ones that we have, and they were there for all.</p>`,
    good: '<p lang="de">Die Bienen sind nicht auf der Wiese, und das ist auch gut für sie.</p>',
  },
  {
    rule: "aria-hidden-focus",
    act: "6cfa84",
    bad: '<div aria-hidden="TRUE"><div contenteditable>Bee</div></div>',
    good: '<div aria-hidden="true"><a href="/a" tabindex="-1">A</a><fieldset disabled><input></fieldset><div inert><button>B</button></div><details><summary tabindex="-1">C</summary><button>D</button></details></div><div aria-hidden="true" tabindex="0" style="position: fixed; width: 1px; height: 1px"></div>',
  },
  {
    rule: "nested-interactive",
    act: "307n5z",
    bad: '<div role="foo button" tabindex="0">Buy <a href="/honey">honey</a></div>',
    good: '<div role="button" tabindex="0">Sell <a href="/wax" tabindex="-1">wax</a></div>',
  },
  {
    rule: "aria-roles",
    act: "674b10",
    bad: '<div role="buton widget">Bees</div>',
    good: '<div role="foo group">A</div><div role="doc-chapter">B</div><div role="bee" hidden>C</div>',
  },
  {
    rule: "aria-valid-attr",
    act: "5f99a7",
    bad: '<p aria-lable="Bees" hidden>Bees</p>',
    good: '<p ARIA-BUSY="false" aria-description="Bees">Bees</p><div role="table" aria-label="T"><div role="row"><div role="cell" aria-rowindextext="A1">A</div></div></div>',
  },
  {
    rule: "aria-valid-attr-value",
    act: "6a7281",
    bad: '<button aria-pressed="on">Bees</button><input role="combobox" aria-label="Pick" aria-expanded="true" aria-controls="gone">',
    good: '<button aria-pressed="" aria-controls="gone">Ants</button><a href="/" aria-current="active">Bugs</a><button aria-pressed="mixed">Wasps</button><input role="combobox" aria-label="Pick" aria-expanded="true" aria-controls="box" aria-owns="gone"><div id="box" role="listbox" aria-label="Picks"><div role="option">A</div></div>',
  },
  {
    rule: "aria-required-attr",
    act: "4e8ab6",
    bad: '<div role="separator" tabindex="0" aria-label="Parts"></div>',
    good: '<div role="spinbutton" aria-label="Hives" tabindex="0"></div><select role="combobox" aria-label="Pick"><option>A</select><input list="x" role="combobox" aria-label="Take"><hr role="separator"><label><input type="checkbox" role="switch"> On</label>',
  },
  {
    rule: "valid-lang",
    act: "de46e4",
    bad: '<p lang="xyzq"><img src="/missing.png" alt="Bee"></p>',
    good: '<p lang="xyzq"><span lang="en">Bee</span></p><p lang="iw">אב</p><p lang="qtz">Bee</p><p lang=" ">Bee</p>',
  },
  {
    rule: "scrollable-region-focusable",
    act: "0ssw9k",
    bad: `<div style="overflow: auto; height: 2em; width: 9em">${p} <a href="/a" tabindex="-1">A</a></div>`,
    good: `<div style="overflow: auto; height: 2em; width: 9em" contenteditable>${p}</div><div style="overflow: auto; width: 100px"><p style="width: 105px">Bee</p></div><div style="overflow: auto; height: 2em; width: 9em">${p} <audio controls></audio></div>`,
  },
  {
    rule: "link-name",
    act: "c487ae",
    bad: '<a href="/a"><i aria-hidden="true">A</i></a>',
    good: '<style>.said::after { content: "Bees" }</style><a class="said" href="/a"></a><a href="/b"><b style="visibility: hidden">A <i style="visibility: visible">B</i></b></a>',
  },
  {
    rule: "button-name",
    act: "97a4e1",
    bad: '<style>.icon::before { content: "\\e001" }</style><button class="icon"></button>',
    good: "<label>Go <button></button></label>",
  },
  {
    rule: "input-image-alt",
    act: "59796f",
    bad: '<input type="image" src="/missing.png" value="Go">',
    good: '<input type="image" src="/missing.png" title="Go">',
  },
  {
    rule: "frame-title",
    act: "cae760",
    bad: '<iframe srcdoc="<p>Bees</p>"></iframe>',
    good: '<iframe srcdoc="<p>Ants</p>" tabindex="-1"></iframe><iframe srcdoc="<p>Wasps</p>" role="none"></iframe><iframe srcdoc="<p>Bugs</p>" role="presentation"></iframe>',
  },
  {
    rule: "summary-name",
    act: "2t702h",
    bad: "<details><summary></summary>Bees</details>",
    good: '<details><summary title="Ants"></summary>Ants <summary></summary></details>',
  },
  {
    rule: "image-name-descriptive",
    act: "qt1vmo",
    bad: '<img src="/missing/a.png" alt="DSC 0042">',
    good: '<img src="/missing/b.png" alt="A bee on a flower">',
  },
  {
    rule: "focus-visible",
    act: "oj04fd",
    bad: '<style>.tick:focus { outline-color: transparent }</style><label><input class="tick" type="checkbox"> Bees</label>',
    good: '<label><input type="checkbox"> Ants</label>',
  },
  {
    rule: "presentation-role-conflict",
    act: "46ca7f",
    bad: '<img src="/missing.png" role="foo none" alt="" aria-live="polite">',
    good: '<img src="/missing.png" alt="" aria-hidden="false">',
  },
];

describe("own rules", () => {
  it("find every defect and name the ACT rule", async () => {
    const result = await look(pairs.map(({ bad }) => bad).join("\n"));
    const missing = pairs.filter(({ rule, act, asks }) => {
      const expected = asks ? "review" : "confirmed";
      const found = result.issues.filter(
        (issue) => issue.rule === rule && issue.confidence === expected && issue.act.includes(act),
      );
      const same = pairs.filter((one) => one.rule === rule && one.act === act && one.asks === asks);
      return found.length < same.length;
    });
    expect(missing.map(({ rule }) => rule)).toEqual([]);
    expect(result.notChecked).toEqual([]);
  });

  it("leave near misses alone", async () => {
    const result = await look(pairs.map(({ good }) => good).join("\n"));
    const wrong = pairs.flatMap(({ rule, asks }) =>
      asks ? result.issues.filter((issue) => issue.rule === rule) : sure(result, rule),
    );
    expect(wrong.map(({ rule, html }) => `${rule} ${html}`)).toEqual([]);
  });

  it.each([
    ["meta-viewport", '<meta name="viewport" content="width=device-width, maximum-scale=1.5">', 1],
    ["meta-viewport", '<meta name="viewport" content="width=device-width, maximum-scale=3">', 0],
    ["meta-viewport", '<meta name="viewport" content="initial-scale=1 user-scalable=no">', 1],
    ["meta-refresh", '<meta http-equiv="refresh" content="300; url=/x">', 1],
    ["meta-refresh", '<meta http-equiv="refresh" content="300: url=/x">', 0],
    ["meta-refresh", '<meta http-equiv="refresh">', 0],
    [
      "css-orientation-lock",
      "<style>@media (orientation: portrait) { main { rotate: 0.25turn } }</style>",
      1,
    ],
    [
      "css-orientation-lock",
      "<style>@media (orientation: portrait) { main { rotate: 180deg } }</style>",
      0,
    ],
    [
      "css-orientation-lock",
      "<style>@media not (orientation: portrait) { main { rotate: 90deg } }</style>",
      1,
    ],
    [
      "css-orientation-lock",
      "<style>@media print and (orientation: portrait) { main { rotate: 90deg } }</style>",
      0,
    ],
    ["page-title-descriptive", "<title>Untitled</title>", 1],
    ["page-title-descriptive", "<title>Bees</title>", 0],
  ])("%s of %s: %i", async (rule, head, count) => {
    expect(sure(await look(`<p>${p}</p>`, { head }), rule)).toHaveLength(count);
  });

  it.each([
    ["a title that has nothing of the page", "<title>Holiday homes in Sweden</title>", "review"],
    ["a title that may be the page's subject", "<title>Document</title>", "review"],
    ["a title that nobody has set", "<title>Untitled document</title>", "confirmed"],
  ])("%s: %s is %s", async (_, head, confidence) => {
    const result = await look(`<p>${p}</p>`, { head });
    expect(confidences(result, "page-title-descriptive")).toEqual([confidence]);
  });

  it("a numbered image may be one of a gallery", async () => {
    const result = await look('<img src="/missing/c.png" alt="Photo 1">');
    expect(confidences(result, "image-name-descriptive")).toEqual(["review"]);
  });

  it("what nobody can reach is left out: inert parts, frames in them, and what a modal dialog covers", async () => {
    const reported = async (body: string) =>
      (await look(body)).issues.filter(({ rule }) => /image-alt|frame-title|link-name/.test(rule));
    const parts = '<img src="/missing.png"><a href="/a"></a><iframe src="/inside"></iframe>';
    const dialog = '<dialog aria-label="Ask"><p>Sure?</p></dialog>';
    expect(await reported(`<div>${parts}</div>`)).toHaveLength(4);
    expect(await reported(`<div inert>${parts}</div>`)).toEqual([]);
    shown = `<!doctype html><html lang="en"><title>Bees</title><main><h1>Bees</h1>${parts}</main>${dialog}`;
    await page.goto(`${site}/about/`);
    await session.send("Runtime.evaluate", {
      expression: 'document.querySelector("dialog").showModal()',
    });
    const { issues } = await checkAccessibility(session);
    expect(issues.filter(({ rule }) => /image-alt|frame-title|link-name/.test(rule))).toEqual([]);
  });

  it("what is in a frame is left out if the frame around it is out of reach", async () => {
    const images = async (body: string) =>
      (await look(body)).issues.filter(({ rule }) => rule === "image-alt").length;
    const outer = '<iframe title="Out" srcdoc="<iframe title=In src=/inside></iframe>"></iframe>';
    expect(await images(outer)).toBe(1);
    expect(await images(`<div inert>${outer}</div>`)).toBe(0);
    expect(await images(outer.replace("<iframe title=In", "<iframe inert title=In"))).toBe(0);
  });

  it("a single character with enough contrast for text, and an empty list, are no questions", async () => {
    const number = (color: string) => `<p style="color: ${color}; background: #fff">3</p>`;
    const contrast = async (body: string) => confidences(await look(body), "color-contrast");
    expect(await contrast(number("#555b64"))).toEqual([]);
    expect(await contrast(number("#aaa"))).toEqual(["review"]);
    const control = (name: string, text: string) =>
      `<a href="?page=2" aria-label="${name}" style="color: #ccc; background: #fff">${text}</a>`;
    expect(await contrast(control("Page 2", "2"))).toEqual(["confirmed"]);
    expect(await contrast(control("Close", "X"))).toEqual([]);
    const children = async (body: string) =>
      confidences(await look(body), "aria-required-children");
    expect(await children('<ol role="list"></ol><ul></ul>')).toEqual([]);
    expect(await children('<div role="list"><p>Words</p></div>')).toEqual(["confirmed"]);
    expect(await children('<div role="tablist" aria-label="Parts"></div>')).toEqual(["review"]);
  });

  it("a refresh for visitors without scripts is asked about", async () => {
    const head = (content: string) => ({
      head: `<noscript><meta http-equiv="refresh" content="${content}"></noscript>`,
    });
    expect(confidences(await look("", head("30; url=/x")), "meta-refresh")).toEqual(["review"]);
    expect(confidences(await look("", head("0; url=/x")), "meta-refresh")).toEqual([]);
  });

  it("content-heading: the main heading of a masthead is the page's", async () => {
    const words = `<div>${p} ${p}</div>`;
    shown = `<!doctype html><html lang="en"><title>Bees</title><body><header><nav><a href="/1">One</a></nav><h1>Bees</h1></header>${words}</body></html>`;
    await page.goto(`${site}/bees/`);
    expect(confidences(await checkAccessibility(session), "content-heading")).toEqual([]);
  });

  it("a text that fades in has no contrast yet", async () => {
    const head = `<style>@keyframes show { from { opacity: 0.05 } to { opacity: 0.1 } } .late { animation: show 60s }</style>`;
    const result = await look(`<p class="late">${p}</p><p style="opacity: 0.1">${p}</p>`, { head });
    const found = result.issues.filter(({ rule }) => rule === "color-contrast");
    expect(found.map(({ html }) => html.slice(0, 9))).toEqual(["<p style="]);
  });

  it("a video without sound needs no captions", async () => {
    const { issues } = await look('<video controls src="/silent.webm" width="90"></video>');
    const rules = issues.map(({ rule, message }) => `${rule}: ${message}`);
    expect(rules.filter((rule) => /caption|hear/.test(rule))).toEqual([]);
  });

  it("links that differ in an unknown parameter are asked about", async () => {
    const link = (query: string) => `<p><a href="/try?${query}">Try it</a></p>`;
    const rule = "identical-links-same-purpose";
    const pair = async (query: string) =>
      confidences(await look(link("cta=top&next=2") + link(query)), rule);
    expect(await pair("cta=end&next=2&gclid=x1")).toEqual(["review"]);
    expect(await pair("next=2&cta=top")).toEqual([]);
    expect(await pair("cta=top&page=3&next=2")).toEqual(["confirmed"]);
  });

  it("an arrow may turn with the device", async () => {
    const head = "<style>@media (orientation: portrait) { button { rotate: 90deg } }</style>";
    const turned = async (inside: string) =>
      sure(await look(`<button aria-label="Next">${inside}</button>`, { head }), rule).length;
    const rule = "css-orientation-lock";
    expect(await turned('<svg width="24" height="24"></svg>')).toBe(0);
    expect(await turned('<svg width="200" height="100"></svg>')).toBe(1);
  });

  it("a name that may read the label in another way is asked about", async () => {
    const result = await look(
      `<button aria-label="Assistive Technology">Asst. Tech.</button><a href="/a" aria-label="Chapter two">Chapter 2</a>
       <a href="/b" aria-label="The store of the bees"><b>Store</b> <b>New</b></a>`,
    );
    const asked = ["review", "review", "review"];
    expect(confidences(result, "label-content-name-mismatch")).toEqual(asked);
  });

  it("a name that lacks a word of a short label, or has them apart, is certain", async () => {
    const result = await look(
      `<a href="/a" aria-label="The manual of bees">The full manual</a><a href="/b" aria-label="20 21">2021</a>
       <button aria-label="Send the new order">Send order</button><button aria-label="Order now (5 left)">Order now 5</button>`,
    );
    const texts = sure(result, "label-content-name-mismatch").map(({ text }) => text);
    expect(texts).toEqual(["The full manual", "2021", "Send order"]);
  });

  it("a barrier for some users only is reported separately", async () => {
    const result = await look(
      `<p>How bees fly: <a href="/c">PDF</a>, <a href="/a">more</a>, <a href="/b">flight of bees</a></p>`,
    );
    const of = (rule: string) =>
      result.issues.filter((issue) => issue.rule === rule).map(({ html, act }) => [html, act]);
    expect(of("link-purpose")).toEqual([]);
    expect(of("link-purpose-alone")).toEqual([['<a href="/a">more</a>', ["aizyf1"]]]);
  });

  describe("autoplaying sound is reported by the length in the file", () => {
    const reported = async (body: string, rule = "no-autoplay-audio") => {
      const { issues } = await look(body);
      return issues.filter((issue) => issue.rule === rule).map(({ confidence }) => confidence);
    };

    it.each([
      ["a long sound", '<audio autoplay src="/tone/5.wav"></audio>'],
      ["its end begins late enough", '<audio autoplay src="/tone/9.wav#t=2"></audio>'],
      ["a film in a circle", '<video autoplay loop src="/tone/2.wav"></video>'],
      [
        "a link that only says so",
        '<audio autoplay src="/tone/5.wav"></audio><a href="/music/">Music</a><button>Display</button>',
      ],
      ["a file that is called silent", '<video autoplay src="/tone/5.wav?silent-mute"></video>'],
    ])("%s", async (_, body) => expect(await reported(body)).toEqual(["confirmed"]));

    it.each([
      ["a short sound", '<audio autoplay src="/tone/2.wav"></audio>'],
      ["the end of one", '<audio autoplay src="/tone/5.wav#t=3"></audio>'],
      ["a part of one", '<audio autoplay src="/missing.mp3#t=npt:0:08,0:10"></audio>'],
      ["a film without sound", '<video autoplay src="/silent.webm"></video>'],
      ["one that is muted", '<video autoplay muted src="/tone/5.wav"></video>'],
      ["its own controls", '<audio autoplay controls src="/tone/5.wav"></audio>'],
      ["a button", '<audio autoplay src="/tone/5.wav"></audio><button>Pause</button>'],
    ])("not %s", async (_, body) => expect(await reported(body)).toEqual([]));

    it.each([
      ["one that can't be read", '<audio autoplay src="/missing.mp3#t=10"></audio>'],
      [
        "a button beside it with words of its own",
        '<div><audio autoplay src="/tone/5.wav"></audio><button>Zitto</button></div>',
      ],
    ])("needs a person's judgment: %s", async (_, body) =>
      expect(await reported(body)).toEqual(["review"]),
    );

    it("sound that keeps playing under a screen reader is reported, with or without controls", async () => {
      const rule = "autoplay-long";
      const player = (file: string) => `<audio autoplay controls src="${file}"></audio>`;
      expect(await reported(player("/tone/5.wav"), rule)).toEqual(["confirmed"]);
      expect(await reported(player("/tone/5.wav#t=3"), rule)).toEqual([]);
      expect(await reported(player("/missing.mp3"), rule)).toEqual(["review"]);
    });
  });

  it("a file name is a question, not a certain defect", async () => {
    const { issues } = await look(
      `<div><div><div><div><div><img src="/missing/site-logo.png" alt="" width="20" height="20"></div></div></div></div></div>
      <img src="/missing/gold-logo.png" alt="Acme logo">
      <div><img src="/missing/bee.png" role="none" alt="A bee on clover"></div>
      <div><img src="/missing/honey.png" role="none" alt="Honey"> Honey</div>
      <input type="image" src="/missing/send_button.png" alt="Send" width="24" height="24">`,
    );
    const rules = new Set([
      "logo-hidden",
      "image-hidden-with-name",
      "image-name-descriptive",
      "image-of-text",
    ]);
    const reported = issues.filter(({ rule }) => rules.has(rule));
    expect(reported.map(({ rule, confidence }) => `${rule} ${confidence}`).toSorted()).toEqual([
      "image-hidden-with-name review",
      "image-name-descriptive review",
      "image-of-text review",
      "logo-hidden review",
    ]);
  });

  it("page-title-descriptive: a title with only the site's name", async () => {
    const reported = async (heading: string, words: string) => {
      shown = `<!doctype html><html lang="en"><title>Jane Doe</title><main><h1>${heading}</h1><p>${words}</p></main></html>`;
      await page.goto(`${site}/bees/`);
      const { issues } = await checkAccessibility(session);
      return issues
        .filter(({ rule }) => rule === "page-title-descriptive")
        .map(({ confidence }) => confidence);
    };
    expect(await reported("Projects by Jane Doe", "Seven of them.")).toEqual(["review"]);
    expect(await reported("The life of Jane Doe", "Jane Doe was born in May.")).toEqual(["review"]);
    expect(await reported("Jane Doe", "She was born in May.")).toEqual([]);
  });

  it("removes the engines' false positives", async () => {
    const box = (padding: number) =>
      `<div style="overflow: scroll; height: 2em; width: 20em; padding: ${padding}px">${p} ${p}</div>`;
    const sign = (text: string) =>
      `<button aria-label="Close" style="color: #777; background: #888">${text}</button>`;
    const { issues } = await look(box(0) + box(100) + sign("X") + sign("Close"));
    const of = (rule: string) =>
      issues.filter((issue) => issue.rule === rule && issue.confidence === "confirmed");
    expect(of("scrollable-region-focusable").map(({ html }) => html)).toEqual([
      expect.stringContaining("padding: 0px"),
    ]);
    expect(of("color-contrast").map(({ text }) => text)).toEqual(["Close"]);
  });

  it("content-heading: a heading in the navigation doesn't count as one of the content", async () => {
    const navigation = '<nav aria-label="Chapters"><h2>Chapters</h2><a href="/1">One</a></nav>';
    const words = `<div>${p} ${p}</div>`;
    const reported = async (body: string) => {
      shown = `<!doctype html><html lang="en"><title>Bees</title><body>${body}</body></html>`;
      await page.goto(`${site}/bees/`);
      return confidences(await checkAccessibility(session), "content-heading");
    };
    expect(await reported(navigation + words)).toEqual(["review"]);
    expect(await reported(`${navigation}<h2>Bees</h2>${words}`)).toEqual([]);
  });
});

describe("merged engine results", () => {
  it("an engine's failure of an ACT rule stands, unless there is a reason against it", async () => {
    const { issues } = await look(`
      <style>.said::after { content: "Bees" }</style>
      <a class="said" href="/a"></a>
      <a class="bare" href="/b"></a>
      <table><tr><th scope="col" class="lone">Hive</th></tr></table>
      <div role="list" class="empty"></div>
      <iframe class="bare" srcdoc="<p>Bees</p>"></iframe>
      <iframe class="passed" role="none" srcdoc="<p>Ants</p>"></iframe>`);
    const of = (name: string) =>
      issues
        .filter(({ html, confidence }) => confidence === "confirmed" && html.includes(name))
        .map(({ rule }) => rule);
    expect(of('class="said"')).toEqual([]);
    expect(of('class="passed"')).toEqual([]);
    expect(of('class="bare"').toSorted()).toEqual(["frame-title", "link-name"]);
    // An ACT rule that only accesslint reports.
    expect(of('class="lone"')).toEqual(["th-has-data-cells"]);
  });

  it("what accesslint reports alone is asked at most, and nothing if a fact speaks against it", async () => {
    const { issues } = await look(`
      <style>.off { display: none }</style>
      <table role="presentation"><tr><td headers="missing">A</table>
      <table class="off"><tr><th>A<tr><td headers="missing">B</table>
      <form autocomplete="false"><label>A <input autocomplete="tel-local-prefix"></label>
        <input type="submit" autocomplete="nope" value="Go"></form>
      <div role="button" tabindex="0" aria-pressed="undefined">A</div>
      <div role="separator" tabindex="0" aria-label="D" aria-valuenow="3" aria-valuetext="x"></div><button aria-description="x">B</button>
      <button role="combobox" aria-expanded="false" aria-label="Pick"><span>Pick</span></button>
      <div role="menu" class="off"></div><div role="radiogroup" aria-label="C" style="visibility: hidden"></div>
      <a href="/x"><i title="Bees"></i></a><h2><i title="Bees"></i></h2>
      <details><summary><i title="Bees"></i></summary>C</details>
      <a href="/x"><svg aria-labelledby="t"><desc id="t">Wax</desc></svg></a>`);
    const rules =
      /headers|autocomplete|-attr|required-children|^(link|button|summary)-name|^empty-heading/;
    const said = issues.filter(({ rule }) => rules.test(rule));
    expect(said.map(({ rule, confidence }) => `${rule} ${confidence}`)).toEqual([
      "aria-allowed-attr review",
    ]);
    expect(said[0]?.message).toBe(
      "Elements must only use supported ARIA attributes. Only accesslint reports it.",
    );
  });

  it("a valid old code of the page's language isn't accused", async () => {
    shown = '<!doctype html><html lang="iw"><title>Bees</title><main><h1>Bees</h1></main></html>';
    await page.goto(`${site}/about/`);
    expect(confidences(await checkAccessibility(session), "html-lang-valid")).toEqual([]);
  });

  it("one defect is one issue, at the element and by the rule that ours names", async () => {
    const { issues } = await look(`
      <div aria-hidden="true"><a href="/a">A</a> <a href="/b">B</a></div>
      <div aria-hidden="true" id="guard"><span tabindex="0"></span></div>
      <span role="link" tabindex="0"><i></i></span><div role="textbox" tabindex="0"></div>
      <select aria-label=""><option>A</select><svg><image role="img" href="/missing.png"></image></svg>
      <a href="/x" role="none" id="plain"></a><img alt="" role="img" src="/missing.png">`);
    const found = issues
      .filter(({ wcag, rule }) => wcag.length > 0 || /role/.test(rule))
      .map(({ rule, act, confidence, html }) => [
        /^<\w+/.exec(html)?.[0],
        rule,
        act.join(" "),
        confidence,
      ]);
    expect(found.toSorted()).toEqual([
      ["<a", "link-name", "c487ae", "confirmed"],
      ["<a", "presentation-role-conflict", "46ca7f", "confirmed"],
      ["<div", "aria-hidden-focus", "6cfa84", "confirmed"],
      ["<div", "aria-hidden-focus", "6cfa84", "review"],
      ["<div", "aria-input-field-name", "e086e5", "confirmed"],
      ["<image", "svg-img-alt", "7d6734", "confirmed"],
      ["<img", "image-alt", "23a2a8", "confirmed"],
      ["<select", "select-name", "e086e5", "confirmed"],
      ["<span", "link-name", "c487ae", "confirmed"],
    ]);
  });

  it("both contrast rules are measured in one pass, also on gradients", async () => {
    const { issues } = await look(`
      <p style="color: #999; background: #fff">Too faint</p>
      <p style="color: #666; background: #fff">Faint for weak eyes</p>
      <p style="color: #888; background: linear-gradient(#fff, #eee)">Faint on a gradient</p>
      <p style="color: #999; background: linear-gradient(transparent, #eee)">Faint on a veil</p>
      <p style="color: #ccc; background: #fff">· · ·</p>
      <p style="color: #000; background: linear-gradient(#fff, #eee)">Fine on a gradient</p>`);
    const of = (rule: string) =>
      issues
        .filter((issue) => issue.rule === rule && issue.confidence === "confirmed")
        .map(({ text }) => text);
    expect(of("color-contrast")).toEqual(["Too faint", "Faint on a gradient", "Faint on a veil"]);
    expect(of("color-contrast-enhanced")).toEqual([
      "Too faint",
      "Faint for weak eyes",
      "Faint on a gradient",
      "Faint on a veil",
    ]);
    expect(issues.find(({ rule }) => rule === "color-contrast")?.contrast).toMatchObject({
      front: "#999999",
      back: "#ffffff",
      needed: 4.5,
    });
  });

  it("issues of several engines on one element are merged, and own frames are checked under a strict policy", async () => {
    const { issues, engines } = await look(
      '<div class="card astro-x1"><img src="/missing.png"></div><iframe title="In" src="/inside"></iframe>',
    );
    const images = issues.filter(({ rule }) => rule === "image-alt");
    expect(images.map(({ locator }) => locator)).toEqual(["body main div.card img", "body img"]);
    expect(images[0]).toMatchObject({
      confidence: "confirmed",
      act: ["23a2a8"],
      wcag: ["1.1.1"],
      impact: "critical",
      html: '<img src="/missing.png">',
    });
    expect(images[0]?.engines).toEqual(expect.arrayContaining(["axe", "accesslint"]));
    expect(engines.map((engine) => engine.split(" ")[0])).toEqual([
      "axe-core",
      "accesslint",
      "vitrine",
    ]);
  });

  it("a question says what couldn't be told", async () => {
    const { issues } = await look(
      '<p style="color: #999; background: url(/tone/1.wav) #fff">Words on an image</p>',
    );
    const asked = issues.filter(
      ({ rule, confidence }) => rule === "color-contrast" && confidence === "review",
    );
    expect(asked.map(({ message }) => message)).toEqual([
      "Elements must meet minimum color contrast ratio thresholds. Element's background color could not be determined due to a background image.",
    ]);
  });

  it("axe runs with the same options as on its own", async () => {
    await look(
      `${pairs.map(({ bad }) => bad).join("")}<p style="color: #999">Faint</p><img src="/a.png">
      <ul><p>No item</p></ul><h4>Too low</h4><nav></nav><nav></nav><div role="btn">Role</div>`,
    );
    const [collected] = await collectFrom(session, {
      ...defaultCollectOptions,
      bothContrasts: false,
      vetoes: false,
    });
    const ours = collected?.issues
      .filter(({ engine }) => engine === "axe")
      .map(({ rule, review, impact, message }) => ({ review, said: [rule, impact, message] }));
    const { frameTree } = await session.send("Page.getFrameTree");
    const world = { frameId: frameTree.frame.id, worldName: "plain" };
    const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", world);
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await session.send("Runtime.evaluate", { expression: axe, contextId });
    const rules = Object.fromEntries(
      defaultCollectOptions.axeOff.map((id) => [id, { enabled: false }]),
    );
    const options = {
      rules,
      checks: defaultCollectOptions.axeChecks,
      iframes: false,
      preload: false,
    };
    const { result } = await session.send("Runtime.evaluate", {
      expression: `axe.run(document, ${JSON.stringify(options)}).then(({ violations, incomplete }) =>
        [violations, incomplete].map((results, at) => results.flatMap(({ id, nodes }) =>
          nodes.map(({ impact, all, none, any }) => {
            const { message } = [...all, ...none, ...any][0];
            return [id, impact, id === "color-contrast" && at === 0 ? "" : message];
          }))))`,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    const [violations, incomplete] = result.value as unknown[][];
    const reported = (review: boolean) =>
      ours?.filter((issue) => issue.review === review).map(({ said }) => said);
    expect(reported(false)).toEqual(violations);
    expect(reported(true)).toEqual(incomplete);
    expect(violations?.length).toBeGreaterThan(5);
  });

  it("a good page has no issues", async () => {
    const { issues } = await look(
      '<p>Bees fly. <a href="/flowers">See their flowers</a>.</p><form><label>Name <input autocomplete="name"></label><button>Send</button></form>',
    );
    expect(
      issues.filter(({ confidence, wcag }) => confidence === "confirmed" || wcag.length > 0),
    ).toEqual([]);
  });
});

describe("without a browser", () => {
  it("checks the markup and reports that contrast was not checked", async () => {
    const result = await runInJsdom(
      '<!doctype html><html lang="en"><title>Bees</title><main><h1>Bees</h1><img src="/a.png"><p style="color:#eee">Faint</p></main>',
      "http://site.test/",
    );
    expect(sure(result, "image-alt")).toHaveLength(1);
    expect(result.issues.filter(({ rule }) => rule.startsWith("color-contrast"))).toEqual([]);
    expect(result.notChecked).toContain("a11y.contrast: no browser available");
    expect(result.notChecked.filter((what) => what.startsWith("a11y.axe:"))).toEqual([]);
  });
});
