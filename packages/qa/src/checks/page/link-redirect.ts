import { type Check, quote, type PageReport } from "../../check.ts";
import type { Evidence } from "../../finding.ts";
import { textOf } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import type { Target } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { isBroken, linksOf, type Reference } from "../addresses.ts";

/** The redirects of an address of the site. */
interface Trail {
  /**
   * The redirects in order; `status` is null for a site read from its files, where all are
   * permanent.
   */
  hops: { url: string; status: number | null }[];
  /** The path of the final page on this site; null if it isn't on this site. */
  own: string | null;
  final: string;
  /** Whether the redirects end at an existing page. */
  arrives: boolean;
  loops: boolean;
}

const maxHops = 20;

function trailOfFiles(site: Site, path: string): Trail | null {
  const hops: Trail["hops"] = [];
  const seen = new Set<string>();
  let at = path;
  for (let place = site.resolve(at); place?.kind === "redirect"; place = site.resolve(at)) {
    if (seen.has(place.path) || hops.length >= maxHops) {
      return { hops, own: at, final: at, arrives: false, loops: true };
    }
    seen.add(place.path);
    hops.push({ url: place.path, status: null });
    at = place.to.split("#")[0] ?? place.to;
    if (/^(?:[a-z]+:)?\/\//i.test(at)) {
      return { hops, own: null, final: at, arrives: true, loops: false };
    }
  }
  if (hops.length === 0) return null;
  return { hops, own: at, final: at, arrives: site.resolve(at)?.kind === "file", loops: false };
}

function pathOf(url: string, origin: string | null): string | null {
  const parsed = URL.parse(url);
  if (!parsed || parsed.origin !== origin) return null;
  try {
    return decodeURIComponent(parsed.pathname) + parsed.search;
  } catch {
    return null;
  }
}

/** The redirect of a page that redirects without the server. */
function trailOfPage(site: Site, path: string, search: string): Trail | null {
  const place = site.resolve(path, search);
  if (place?.kind !== "redirect") return null;
  const to = URL.parse(place.to, site.origin ?? undefined)?.href ?? place.to;
  const own = place.to.startsWith("/") ? (place.to.split("#")[0] ?? "") : pathOf(to, site.origin);
  const arrives = own !== null && site.resolve(own)?.kind === "file";
  return { hops: [{ url: path, status: null }], own, final: to, arrives, loops: false };
}

/** The redirects of a link; null if there are none. */
function trailOf(site: Site, target: Target): Trail | null {
  if (target.kind !== "inside") return null;
  if (!site.response) return trailOfFiles(site, target.path);
  const response = site.response(target.path, target.search);
  if (!response) return null;
  if (response.hops.length === 0 && response.failure?.phase !== "redirect") {
    return trailOfPage(site, target.path, target.search);
  }
  return {
    hops: response.hops.map(({ url, status }) => ({ url, status })),
    own: pathOf(response.finalUrl, site.origin),
    final: response.finalUrl,
    arrives: response.verdict === "ok",
    loops: response.failure?.phase === "redirect",
  };
}

const trailCache = new WeakMap<Page, readonly (readonly [Reference, Trail])[]>();

/** The links of a page that are redirected, with their redirects. */
function trails(page: Page, site: Site): readonly (readonly [Reference, Trail])[] {
  const before = trailCache.get(page);
  if (before) return before;
  const found = linksOf(page, site).flatMap((link) => {
    const trail = trailOf(site, link.target);
    return trail ? [[link, trail] as const] : [];
  });
  trailCache.set(page, found);
  return found;
}

const isPermanent = ({ hops }: Trail): boolean =>
  hops.every(({ status }) => status === null || status === 301 || status === 308);

/** Whether a trail is a permanent redirect within the site that ends at a page. */
const isMove = (trail: Trail): boolean =>
  !trail.loops && trail.arrives && trail.own !== null && isPermanent(trail);

const pathIn = ({ target }: Reference): string => (target.kind === "inside" ? target.path : "");

const evidenceOf = ({ raw }: Reference, { hops, final, own }: Trail): Evidence => ({
  href: raw,
  final: own ?? final,
  hops,
});

/** Reports a link to an address of this site that is redirected. */
export const linkSelfRedirect: Check = {
  id: "link.self-redirect",
  category: "links",
  severity: "warning",
  *run(page, site) {
    for (const [link, trail] of trails(page, site)) {
      if (!isMove(trail) || trail.hops.length !== 1) continue;
      yield {
        target: pathIn(link),
        at: link.element,
        evidence: evidenceOf(link, trail),
        safe: true,
        message: `The link ${quote(textOf(link.element))} leads to ${pathIn(link)}, which has moved to ${trail.own}.`,
      };
    }
  },
};

/** Reports a link with several redirects. */
export const linkRedirectChain: Check = {
  id: "link.redirect-chain",
  category: "links",
  severity: "warning",
  *run(page, site) {
    for (const [link, trail] of trails(page, site)) {
      if (trail.loops || trail.hops.length < 2) continue;
      // A link that doesn’t arrive is reported as broken.
      if (isBroken(site, link.target)) continue;
      yield {
        target: pathIn(link),
        at: link.element,
        evidence: evidenceOf(link, trail),
        safe: isMove(trail),
        message: `The link ${quote(textOf(link.element))} leads to ${pathIn(link)} and through ${trail.hops.length} redirects to ${trail.own ?? trail.final}.`,
      };
    }
  },
};

/** Reports a link that is redirected in a loop. */
export const linkRedirectLoop: Check = {
  id: "link.redirect-loop",
  category: "links",
  severity: "error",
  *run(page, site) {
    for (const [link, trail] of trails(page, site)) {
      if (!trail.loops) continue;
      yield {
        target: pathIn(link),
        at: link.element,
        evidence: { href: link.raw, hops: trail.hops },
        message: `The link ${quote(textOf(link.element))} leads to ${pathIn(link)}, which redirects in a loop.`,
      };
    }
  },
};

/** The first hop of a trail that leads from HTTPS to HTTP. */
function downgrade({ hops, final }: Trail): { from: string; to: string } | null {
  const urls = [...hops.map(({ url }) => url), final];
  const at = urls.findIndex(
    (url, index) => url.startsWith("https:") && urls[index + 1]?.startsWith("http:"),
  );
  return at < 0 ? null : { from: urls[at] ?? "", to: urls[at + 1] ?? "" };
}

/** Reports a link that is redirected from HTTPS to HTTP. */
export const linkRedirectDowngrade: Check = {
  id: "link.redirect-downgrade",
  category: "links",
  severity: "error",
  *run(page, site) {
    for (const [link, trail] of trails(page, site)) {
      const hop = downgrade(trail);
      if (!hop) continue;
      yield {
        target: pathIn(link),
        at: link.element,
        evidence: { href: link.raw, from: hop.from, to: hop.to },
        message: `The link ${quote(textOf(link.element))} redirects to ${hop.to}, which isn’t encrypted.`,
      };
    }
  },
};

/** Redirects that are never permanent: to sign in, to choose a language, to another site. */
const comesAndGoes =
  /\b(?:log-?in|sign-?in|log-?out|sign-?out|auth|session|account|cart|checkout|random|latest)\b/i;

/** Reports a link that uses a temporary redirect. */
export const linkTempRedirectPermanentUse: Check = {
  id: "link.temp-redirect-permanent-use",
  category: "links",
  severity: "notice",
  *run(page, site): Generator<PageReport> {
    for (const [link, trail] of trails(page, site)) {
      const { hops, own, loops, arrives } = trail;
      const [hop] = hops;
      if (loops || !arrives || hops.length !== 1 || !hop?.status || own === null) continue;
      if (![302, 303, 307].includes(hop.status) || pathIn(link) === "/") continue;
      if (comesAndGoes.test(`${own} ${pathIn(link)}`)) continue;
      yield {
        target: pathIn(link),
        at: link.element,
        confidence: "review",
        evidence: { href: link.raw, status: hop.status, final: own },
        message: `The link ${quote(textOf(link.element))} leads to ${pathIn(link)}, which redirects to ${own} only temporarily (${hop.status}).`,
      };
    }
  },
};
