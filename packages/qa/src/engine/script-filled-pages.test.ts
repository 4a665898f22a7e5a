import { afterEach, expect, test } from "vitest";
import {
  type Content,
  type SmallSite,
  startSmallSite,
} from "../../../../test/support/small-site.ts";
import { engineJob } from "../../../../test/support/engine-job.ts";
import { defaultQaLimits } from "../limits.ts";
import { type EngineOptions, runEngine } from "./engine.ts";
import type { EngineJob, EngineResult } from "./job.ts";

// Pages that scripts fill: their markup lacks what is there to be seen, and holds what nobody sees.

const cleanups: SmallSite[] = [];
afterEach(async () => {
  for (const site of cleanups.splice(0)) await site[Symbol.asyncDispose]();
});

async function siteOf(content: Record<string, Content>): Promise<SmallSite> {
  const site = await startSmallSite(content);
  cleanups.push(site);
  return site;
}

function run(
  site: SmallSite,
  over: Partial<EngineJob> = {},
  options: EngineOptions = {},
): Promise<EngineResult> {
  const limits = { ...defaultQaLimits, phaseSeconds: 20, seconds: 120 };
  const job = engineJob(`${site.origin}/`, { limits, browser: "auto", ...over });
  const countMessages = () => Promise.resolve(null);
  const watch = { signal: new AbortController().signal, progress() {}, countMessages };
  return runEngine(job, watch, options);
}

/** Several runs, each with a browser, on a machine that has more to do. */
const long = 240_000;

const checks = new Set(["link.fragment-missing", "seo.h1-missing", "text.placeholder"]);

/** What the three checks said, as `page check target severity confidence`, and whether it is safe. */
const reported = ({ observations }: EngineResult): string[] =>
  observations
    .filter(({ check }) => checks.has(check))
    .flatMap(({ occurrences, check, target, severity, confidence, isSafe: safe }) =>
      [...new Set(occurrences.map(({ page }) => page))].map((page) =>
        [page, check, target ?? "-", severity, confidence, ...(safe ? ["safe"] : [])].join(" "),
      ),
    )
    .toSorted();

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main>${body}</main></body></html>`;

/** Fills the page whose elements it finds, and leaves what is called `rest` as it was. */
const script = {
  type: "text/javascript",
  body: `const app = document.querySelector("#app");
    if (app) app.innerHTML = '<h1>Shop</h1><h2 id="prices">Prices</h2>';
    const text = document.querySelector("#text");
    if (text) text.textContent = text.textContent.replace("{{ message }}", "Hello.");`,
};

const content = {
  "/": page(
    "Home",
    `<h1>Home</h1><p><a href="/shop/#prices">a</a> <a href="/shop/#gone">b</a>
     <a href="/shop/#opening-hour">c</a> <a href="/plain/#nowhere">d</a></p>`,
  ),
  "/shop/": page(
    "Shop",
    `<div id="app"></div><p id="text">{{ message }}</p><p>{{ rest }}</p>
     <p id="opening-hours">At nine.</p><a href="#prices">e</a><script type="module" src="/a.js"></script>`,
  ),
  "/plain/": page(
    "Plain",
    `<p>Plain <a href="/empty/">f</a> <a href="/inline/">g</a></p>
     <script>document.documentElement.dataset.theme = "dark"</script>
     <script src="/gone.js"></script>`,
  ),
  "/empty/": page("Empty", `<div id="room"></div><p>Words.</p><script src="/a.js" defer></script>`),
  "/inline/": page(
    "Inline",
    `<div class="room"></div>
     <script>document.querySelector(".room").innerHTML = "<h1>Inline</h1>"</script>`,
  ),
  "/a.js": script,
};

const sure = [
  "/ link.fragment-missing /plain/#nowhere error confirmed",
  "/ link.fragment-missing /shop/#gone error confirmed",
  "/ link.fragment-missing /shop/#opening-hour error confirmed safe",
  "/empty/ seo.h1-missing - warning confirmed",
  "/plain/ seo.h1-missing - warning confirmed",
  "/shop/ text.placeholder {{ rest }} warning confirmed",
].toSorted();

test(
  "what scripts add counts as present, and what they leave is reported, whether or not a page is opened again",
  async () => {
    const site = await siteOf(content);
    const first = await run(site);
    expect(reported(first)).toEqual(sure);
    expect(first.browserVisited.toSorted()).toEqual([
      "/",
      "/empty/",
      "/inline/",
      "/plain/",
      "/shop/",
    ]);

    // Nothing new: no page is opened, nothing is told anew.
    const unchanged = await run(site, { cache: first.cache });
    expect(unchanged.isUnchanged).toBe(true);
    expect(unchanged.browserVisited).toEqual([]);
    const whole = await run(site, { cache: unchanged.cache, full: true });
    expect(whole.browserVisited).toEqual([]);
    expect(reported(whole)).toEqual(sure);

    // Another page leads to the same: what was seen before still answers.
    site.content.set(
      "/plain/",
      content["/plain/"].replace("Plain <a", 'New <a href="/shop/#prices">g</a> <a'),
    );
    const third = await run(site, { cache: whole.cache });
    expect(third.browserVisited).toEqual(["/plain/"]);
    expect(reported(third)).toEqual(sure);
    const names = ({ observations }: EngineResult) =>
      observations.flatMap(({ check, fingerprint }) => (checks.has(check) ? [fingerprint] : []));
    expect(names(third).toSorted()).toEqual(names(first).toSorted());
  },
  long,
);

test(
  "what a blocked script would have added stays in doubt until it has run",
  async () => {
    const cdn = await siteOf({ "/a.js": script });
    const links = `<h1>Home</h1><a href="/shop/#prices">a</a> <a href="/ill/#prices">b</a>`;
    const filled = (src: string) =>
      page(
        "Shop",
        `<h1>Shop</h1><h2 id="price">Price</h2><div id="app"></div>
      <script src="${src}" defer></script>`,
      );
    const site = await siteOf({
      "/": page("Home", links),
      "/shop/": filled(`${cdn.origin}/a.js`),
      "/ill/": filled("/ill.js"),
      "/ill.js": { status: 500 },
    });
    const question = (at: string) => `/ link.fragment-missing ${at} notice review`;
    // Nobody is let to where the script is: it is no public address.
    const first = await run(site);
    expect(first.browserVisited.toSorted()).toEqual(["/", "/ill/", "/shop/"]);
    expect(reported(first)).toEqual([question("/ill/#prices"), question("/shop/#prices")]);

    const second = await run(site, { cache: first.cache, full: true }, { allow: () => true });
    expect(second.browserVisited.toSorted()).toEqual(["/ill/", "/shop/"]);
    expect(reported(second)).toEqual([question("/ill/#prices")]);
  },
  long,
);

test(
  "hidden leftovers are reported, and a fragment that a script removes isn't suggested",
  async () => {
    const site = await siteOf({
      "/": page(
        "Home",
        `<style>.label{text-transform:uppercase}.menu{display:none}</style><h1>Home</h1>
       <p class="label">{{ project.kind }}</p><p class="menu">{{ menu.entry }}</p>
       <p id="text">{{ message }}</p><p>Fills <code>{{ message }}</code>, which says “{{ message }}”.</p><p id="opening-hours">At nine.</p>
       <a href="#opening-hour">a</a> <a href="/once/#gone">b</a>
       <script src="/a.js" defer></script>
       <script>addEventListener("load", () => document.querySelector("#opening-hours").replaceWith("Closed."))</script>`,
      ),
      // Nothing shows afterwards that a script has run.
      "/once/": page(
        "Once",
        `<h1>Once</h1><script>document.body.append("Once."); document.currentScript.remove()</script>`,
      ),
      "/a.js": script,
    });
    expect(reported(await run(site))).toEqual([
      "/ link.fragment-missing #opening-hour error confirmed",
      "/ link.fragment-missing /once/#gone error confirmed",
      "/ text.placeholder {{ menu.entry }} notice review",
      "/ text.placeholder {{ project.kind }} warning confirmed",
    ]);
  },
  long,
);

test(
  "a page that one run postpones is settled by the next",
  async () => {
    const site = await siteOf({
      "/": page("Home", `<h1>Home</h1><a href="/shop/#prices">a</a> <a href="/shop/#gone">b</a>`),
      "/shop/": page("Shop", `<h1>Shop</h1><div id="app"></div><script src="/a.js"></script>`),
      "/a.js": { ...script, body: script.body.replace("h1>Shop</h1", "b>Shop</b") },
    });
    const limits = { ...defaultQaLimits, phaseSeconds: 20, seconds: 120, browserPages: 1 };
    const first = await run(site, { limits });
    expect(first.browserVisited).toEqual(["/"]);
    const second = await run(site, { limits, cache: first.cache });
    expect([second.isUnchanged, second.browserVisited]).toEqual([true, ["/shop/"]]);
    const third = await run(site, { limits, cache: second.cache });
    expect([third.isUnchanged, third.browserVisited]).toEqual([false, []]);
    expect(reported(third)).toEqual(["/ link.fragment-missing /shop/#gone error confirmed"]);
    const fourth = await run(site, { limits, cache: third.cache });
    expect(fourth.isUnchanged).toBe(true);
  },
  long,
);

test("without a browser, what scripts may change is in doubt, and never fixed unattended", async () => {
  const site = await siteOf(content);
  expect(reported(await run(site, { browser: "off" }))).toEqual([
    "/ link.fragment-missing /plain/#nowhere error confirmed",
    "/ link.fragment-missing /shop/#gone notice review",
    "/ link.fragment-missing /shop/#opening-hour notice review",
    "/ link.fragment-missing /shop/#prices notice review",
    "/empty/ seo.h1-missing - notice review",
    "/inline/ seo.h1-missing - notice review",
    "/plain/ seo.h1-missing - warning confirmed",
    "/shop/ link.fragment-missing #prices notice review",
    "/shop/ seo.h1-missing - notice review",
    "/shop/ text.placeholder {{ message }} notice review",
    "/shop/ text.placeholder {{ rest }} notice review",
  ]);
});

test("nothing is known about a script whose server has an error", async () => {
  const site = await siteOf({ ...content, "/a.js": { status: 500 } });
  expect(reported(await run(site, { browser: "off" }))).toContain(
    "/ link.fragment-missing /shop/#prices notice review",
  );
});
