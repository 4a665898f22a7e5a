import type { ResponseFixture, SiteCase } from "../../packages/qa/src/checks/fixture.ts";
import { locate } from "../../packages/qa/src/check.ts";
import type {
  CrawlResponse,
  Crawl,
  CrawledPage,
  PageFacts,
  Reference,
  ReferenceKind,
} from "../../packages/qa/src/crawl/crawl.ts";
import { readExternalPage } from "../../packages/qa/src/crawl/external-page.ts";
import type { CachedExternal } from "../../packages/qa/src/engine/job.ts";
import { attribute, type Element, textOf } from "../../packages/qa/src/page/dom.ts";
import {
  isNoindex,
  metaOf,
  type Page,
  fragmentTargetsOf,
  readPage,
} from "../../packages/qa/src/page/page.ts";
import { candidatesOf } from "../../packages/qa/src/page/srcset.ts";
import type { PathEntry, Site } from "../../packages/qa/src/site/site.ts";
import { simhashOf } from "../../packages/qa/src/crawl/simhash.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";

export function responseOf(url: string, fixture: ResponseFixture): CrawlResponse {
  const {
    body = "",
    type,
    to,
    ...more
  } = typeof fixture === "string" ? { body: fixture } : fixture;
  const hops = to === undefined ? [] : [{ url, status: more.status ?? 301 }];
  const status = to === undefined ? (more.status === undefined ? 200 : more.status) : 200;
  const failed = more.failure !== undefined && more.failure !== null;
  const unknown = [401, 403, 429, 451, 503, 999].includes(status ?? 0);
  const verdict = unknown ? "unknown" : failed || (status ?? 0) >= 400 ? "broken" : "ok";
  const bytes = Buffer.byteLength(body);
  const response: CrawlResponse = {
    url,
    method: "GET",
    verdict,
    reason: verdict === "ok" ? null : `it answers ${status}`,
    failure: null,
    hops,
    finalUrl: to === undefined ? url : new URL(to, url).href,
    bytes,
    wireBytes: bytes,
    truncated: false,
    hash: sha256Hex(body),
    sniffed: type ?? "text/html",
    image: null,
    firstByteMs: 10,
    ms: 12,
    attempts: [],
    head: body.slice(0, 512),
    notModified: false,
    retryAfterMs: null,
    ...more,
    headers: { "content-type": `${type ?? "text/html"}; charset=utf-8`, ...more.headers },
    status: failed ? null : status,
  };
  const externalPage = readExternalPage(response, Buffer.from(body));
  return externalPage ? { ...response, externalPage } : response;
}

function factsOf(page: Page): PageFacts {
  const main = page.first("main") ?? page.first("body");
  const text = main ? textOf(main) : "";
  const link = (rel: string) => page.all("link").filter((one) => attribute(one, "rel") === rel);
  const canonical = link("canonical")[0];
  const headings = page.elements.filter(({ name }) => /^h[1-6]$/.test(name));
  return {
    title: textOf(page.first("title") ?? page.document),
    description: metaOf(page, "description") ?? "",
    canonical: (canonical && attribute(canonical, "href")) ?? null,
    isNoindex: isNoindex(page),
    lang: attribute(page.first("html") as Element, "lang") ?? "",
    headings: headings.map((one) => ({ level: Number(one.name[1]), text: textOf(one) })),
    words: text.split(/\s+/).filter(Boolean).length,
    simhash: simhashOf(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
    textHash: sha256Hex(text),
    fragmentTargets: fragmentTargetsOf(page),
    alternates: link("alternate")
      .filter((one) => attribute(one, "hreflang") !== undefined)
      .map((one) => ({
        lang: attribute(one, "hreflang") ?? "",
        url: new URL(attribute(one, "href") ?? "", `https://example.com${page.path}`).href,
      })),
    hasFormFields: page.all("input", "textarea").length > 0,
  };
}

const kinds: Readonly<Record<string, ReferenceKind>> = {
  a: "link",
  img: "image",
  script: "script",
  iframe: "frame",
};

function kindOf(element: Element): ReferenceKind {
  const rel = attribute(element, "rel") ?? "";
  if (element.name !== "link") return kinds[element.name] ?? "media";
  return rel === "canonical" || rel === "alternate" || rel === "icon" ? rel : "style";
}

function* referencesOf(page: Page, url: string): Generator<Reference> {
  for (const element of page.elements) {
    const candidates = candidatesOf(attribute(element, "srcset") ?? "");
    const plain = attribute(element, "href") ?? attribute(element, "src");
    const all = [
      ...(plain === undefined ? [] : [{ raw: plain, kind: kindOf(element) }]),
      ...candidates.map(({ address }) => ({ raw: address, kind: "srcset" as const })),
    ];
    for (const { raw, kind } of all) {
      const to = URL.parse(raw, url);
      if (!to?.protocol.startsWith("http")) continue;
      const rel = attribute(element, "rel");
      yield {
        kind,
        url: to.href,
        raw,
        page: page.path,
        selector: locate(element),
        line: element.sourceCodeLocation?.startLine ?? null,
        text: textOf(element) || (attribute(element, "alt") ?? ""),
        ...(rel !== undefined && { rel }),
      };
    }
  }
}

const unrequested: Omit<CachedExternal, "url"> = {
  status: null,
  verdict: "broken",
  code: null,
  checkedAt: "2026-11-21T12:00:00.000Z",
  lastOkAt: null,
  firstBadAt: null,
  badRuns: 0,
  notBefore: null,
  finalUrl: null,
  from: [],
};

const bare = (url: string) => url.replace(/#.*$/, "");

/** Links from the home page to each page. */
function depthsOf(
  start: string,
  references: readonly Reference[],
  pages: Map<string, CrawledPage>,
) {
  const depths = new Map([[start, 0]]);
  const from = new Map<string, string>();
  const pathOf = new Map([...pages.values()].map(({ url, path }) => [url, path]));
  const queue = [start];
  for (const at of queue) {
    for (const reference of references) {
      const to = pathOf.get(bare(reference.url));
      if (reference.page !== at || reference.kind !== "link" || to === undefined) continue;
      if (depths.has(to)) continue;
      depths.set(to, (depths.get(at) ?? 0) + 1);
      from.set(to, at);
      queue.push(to);
    }
  }
  return { depths, from };
}

/** A crawl of a site with a fixture case's responses, without any request. */
// oxlint-disable-next-line max-lines-per-function -- one object with its parts
export function crawlOf(fixture: SiteCase): Crawl {
  const origin = fixture.origin ?? "https://example.com";
  const absolute = (at: string) => new URL(at, origin).href;
  const responses = new Map(
    Object.entries(fixture.responses).map(([at, one]) => [
      absolute(at),
      responseOf(absolute(at), one),
    ]),
  );
  const bodies = new Map(
    Object.entries(fixture.responses).map(([at, one]) => [
      absolute(at),
      typeof one === "string" ? one : (one.body ?? ""),
    ]),
  );
  const read = new Map<string, Page>();
  const pages = new Map<string, CrawledPage>();
  for (const [url, response] of responses) {
    const html = response.headers["content-type"]?.startsWith("text/html") ?? false;
    if (!url.startsWith(`${origin}/`) || response.hops.length > 0 || response.verdict !== "ok")
      continue;
    if (!html) continue;
    const { pathname, search } = new URL(url);
    const path = decodeURIComponent(pathname) + search;
    const file = {
      file: path,
      hash: response.hash ?? "",
      bytes: response.bytes,
      type: "text/html",
      encodings: {},
    };
    const page = readPage(path, file, bodies.get(url) ?? "");
    read.set(path, page);
    pages.set(path, { path, url, response, facts: factsOf(page), depth: null, from: null });
  }
  const references = [...read.values()].flatMap((page) =>
    Array.from(referencesOf(page, absolute(page.path))),
  );
  const { depths, from } = depthsOf("/", references, pages);
  for (const [path, page] of pages) {
    const depth = depths.get(path) ?? null;
    pages.set(path, { ...page, depth, from: from.get(path) ?? null });
  }
  const site = siteOf(origin, responses, read);
  return {
    start: `${origin}/`,
    origin,
    site,
    pages,
    responses,
    references,
    referencesTo: (url) => references.filter((one) => bare(one.url) === bare(url)),
    externals: new Map(
      Object.entries(fixture.externals ?? {}).map(([url, known]) => [
        url,
        { ...unrequested, url, ...known },
      ]),
    ),
    isOwn: (url) => url.startsWith(`${origin}/`),
    page: (path) => read.get(path),
    text: (url) => bodies.get(url),
    baselineOf(folder) {
      const html = fixture.baselines?.[folder];
      if (html === undefined) return undefined;
      const file = { file: "", hash: "", bytes: html.length, type: "text/html", encodings: {} };
      const { simhash } = factsOf(readPage(folder, file, html));
      return { simhash, status: 200, url: `${origin}${folder}x` };
    },
    complete: true,
  };
}

/** A built site with these HTTP responses for these paths. */
export function siteResponding(
  site: Site,
  responses: Readonly<Record<string, Partial<CrawlResponse>>>,
): Site {
  const known = new Map(
    Object.entries(responses).map(([at, one]) => {
      return [at, responseOf(`https://example.com${at}`, { ...one })] as const;
    }),
  );
  return {
    ...site,
    response: (path, search = "") => known.get(path + search),
    resolve(path, search = "") {
      const response = known.get(path + search);
      if (!response) return site.resolve(path, search);
      if (response.verdict === "unknown") return { kind: "unknown", why: response.reason ?? "" };
      if (response.hops.length > 0) return { kind: "redirect", path, to: response.finalUrl };
      if (response.verdict === "broken") return undefined;
      const type = response.headers["content-type"] ?? "";
      const file = {
        file: path,
        hash: response.hash ?? "",
        bytes: response.bytes,
        type,
        encodings: {},
      };
      return { kind: "file", path: path + search, file };
    },
  };
}

function siteOf(
  origin: string,
  responses: ReadonlyMap<string, CrawlResponse>,
  read: Map<string, Page>,
): Site {
  const response = (path: string, search = "") =>
    responses.get(`${origin}${encodeURI(path)}${search}`);
  const at = (path: string, search = ""): PathEntry | undefined => {
    const one = response(path, search);
    if (!one) return { kind: "unknown", why: "it was not asked for" };
    if (one.verdict === "unknown") return { kind: "unknown", why: one.reason ?? "" };
    if (one.hops.length > 0) return { kind: "redirect", path, to: new URL(one.finalUrl).pathname };
    if (one.verdict === "broken") return undefined;
    const type = one.headers["content-type"] ?? "";
    const file = { file: path, hash: one.hash ?? "", bytes: one.bytes, type, encodings: {} };
    return { kind: "file", path, file };
  };
  return {
    sha: "",
    origin,
    files: {},
    pagePaths: [...read.keys()],
    resolve: at,
    response,
    fragmentTargetsOn: (path) => {
      const page = read.get(path);
      return page && fragmentTargetsOf(page);
    },
    findPathIgnoringCase: () => undefined,
    text: () => undefined,
    page: (path) => read.get(path),
    unreadableReason: () => undefined,
    sheet: () => undefined,
    memoize: (_, make) => make(),
    heads: () => new Map(),
    listed: () => new Set(),
  };
}
