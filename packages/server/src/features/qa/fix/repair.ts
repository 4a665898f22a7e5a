import type { FindingRow } from "../findings/store.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import { evidenceOf, occurrencesOf } from "./evidence.ts";

/** What is to be done about findings of one check. */
export interface Repair {
  /** Our own words; nothing that a page says but addresses, which are made of few characters. */
  text: string;
  /** Whether the literal editor carries it out, so that it needs no model. */
  exact: boolean;
}

type FindingFacts = Pick<
  FindingRow,
  "check_id" | "evidence" | "occurrences" | "page_url" | "is_safe"
> & {
  page_count: number;
};

// No quotes, no white space, no separators: what an address may hold in an instruction.
const address = /^[\w\-./~%#?=&+@:,]{1,300}$/;
const plainPath = /^\/[\w\-./~]{0,300}$/;
/** Says the same on every page: it begins at the root or with a scheme. */
const absolute = /^(?:\/|https?:)/i;

type Evidence = ReturnType<typeof evidenceOf>;

const textOf = (value: unknown) => (typeof value === "string" ? value.toWellFormed() : "");

const fragmentOf = (written: string) => /#.*$/s.exec(written)?.[0] ?? "";
const afterPath = (written: string) => /[?#].*$/s.exec(written)?.[0] ?? "";

/** A path as links have it; checks tell it decoded. */
function encoded(path: string): string {
  return path.startsWith("/") && path.isWellFormed() ? encodeURI(path) : "";
}

interface Correction {
  from(evidence: Evidence): string;
  to(evidence: Evidence, from: string): string;
}

const href = (evidence: Evidence) => textOf(evidence["href"]);
const target = (evidence: Evidence) => textOf(evidence["target"]);

function replacedPath({ final }: Evidence, from: string): string {
  const to = encoded(textOf(final));
  return to && to + fragmentOf(from);
}

/** Of each check: what its evidence calls the address as it is written, and which one is meant. */
const corrections: Readonly<Record<string, Correction>> = {
  "link.internal-broken": { from: target, to: ({ candidate }) => encoded(textOf(candidate)) },
  "link.fragment-missing": {
    from: target,
    to: ({ nearest }, from) =>
      textOf(nearest) && `${from.replace(/#.*$/s, "")}#${encodeURIComponent(textOf(nearest))}`,
  },
  "link.case-mismatch": {
    from: href,
    to({ path }, from) {
      const to = encoded(textOf(path));
      return to && to + afterPath(from);
    },
  },
  "link.malformed": { from: href, to: ({ candidate }) => textOf(candidate) },
  "link.http-on-https": { from: href, to: ({ candidate }) => textOf(candidate) },
  "link.self-redirect": { from: href, to: replacedPath },
  "link.redirect-chain": { from: href, to: replacedPath },
  "link.trailing-slash-inconsistent": {
    from({ variants, candidate }) {
      const others = Array.isArray(variants) ? variants.filter((path) => path !== candidate) : [];
      return others.length === 1 ? textOf(others[0]) : "";
    },
    to: ({ candidate }) => textOf(candidate),
  },
};

/** Whether an address is on the site that the link led to before: no repair leads elsewhere. */
function isSameSite(to: string, from: string): boolean {
  const place = (url: string) => url.replace(/^http:/i, "https:").replace(/#.*$/s, "");
  return !/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(to) || place(to) === place(from);
}

/** The address that stands in the page, and the one that has to; null when either is unclear. */
function correctionOf({
  check_id,
  evidence: json,
}: FindingFacts): { from: string; to: string } | null {
  const evidence = evidenceOf({ evidence: json });
  const correction = corrections[check_id];
  if (correction === undefined) return null;
  const from = correction.from(evidence);
  const to = correction.to(evidence, from.trim());
  // White space is what is wrong with some addresses: without it they are the one that is meant.
  const bare = from.replaceAll(" ", "");
  const known = address.test(bare) && (bare === from || bare === to);
  const meant = address.test(to) && from !== to && isSameSite(to, from);
  return known && meant ? { from, to } : null;
}

/** The one page that it is on, where the literal editor has a word for it; else the whole site. */
function scopeOf(finding: FindingFacts, from: string): string | null {
  const pages = new Set(occurrencesOf(finding).map(({ page }) => page));
  const [page] = pages;
  const single = pages.size === 1 && finding.page_count <= 1 && page !== undefined;
  if (single && plainPath.test(page)) return `on ${page}`;
  return absolute.test(from) ? "everywhere" : null;
}

function changeLink(finding: FindingFacts): string | null {
  const correction = finding.is_safe === 1 ? correctionOf(finding) : null;
  const scope = correction && scopeOf(finding, correction.from);
  return (
    correction && scope && `change the link "${correction.from}" to "${correction.to}" ${scope}`
  );
}

const images =
  "Look at each picture that is named below and give it a short alternative text that says what it shows there";

const sentences: Readonly<Record<string, string>> = {
  "img.alt-missing": `${images}; an empty one only where it is mere decoration.`,
  "img.link-no-alt": `${images}, and so where its link leads.`,
  "img.alt-filename": `${images}, in place of the file's name.`,
  "img.alt-duplicate-adjacent": `${images} beyond what the words beside it say already.`,
  "img.alt-too-long":
    "Shorten the alternative text of each picture that is named below to what matters.",
  "a11y.axe.image-alt": `${images}; an empty one only where it is mere decoration.`,
  "link.internal-broken":
    "Let the link that is named below lead to the page that is meant; take it away only where there is none.",
  "link.fragment-missing":
    "Let the link that is named below lead to the place on the page that is meant.",
  "link.no-text": "Give the link that is named below a name that says where it leads.",
  "seo.title-missing": "Give the page a title that says what it is about.",
  "meta.description-missing": "Give the page a description that says what it is about.",
};

/** Checks whose findings of one page are fixed together, by looking at its pictures. */
export function isAlt(check: string): boolean {
  return /^img\.(alt-|link-no-alt$)|^a11y\.axe\.(image-alt|role-img-alt|input-image-alt)$/.test(
    check,
  );
}

/** What to do about these findings: one, or several of images on one page. */
export function repairOf(rows: readonly FindingFacts[]): Repair {
  const [first] = rows;
  if (first === undefined) throw new Error("A repair of nothing.");
  const exact = rows.length === 1 ? changeLink(first) : null;
  if (exact !== null) return { text: exact, exact: true };
  const checks = [...new Set(rows.map(({ check_id }) => check_id))];
  const words = checks.map(
    (check) => sentences[check] ?? `Mend this, and nothing else: “${titleOf(check)}”.`,
  );
  return { text: [...new Set(words)].join("\n"), exact: false };
}
