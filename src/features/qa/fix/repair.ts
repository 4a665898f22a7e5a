import type { FindingRow } from "../findings/store.ts";
import { titleOf } from "../checks/catalogue.ts";
import { evidenceOf, occurrencesOf } from "./evidence.ts";

/** What is to be done about findings of one check. */
export interface Repair {
  /** Our own words; nothing that a page says but addresses, which are made of few characters. */
  words: string;
  /** Whether the literal editor carries it out, so that it needs no model. */
  exact: boolean;
}

type Told = Pick<FindingRow, "check_id" | "evidence" | "occurrences" | "page_url" | "safe"> & {
  page_count: number;
};

// No quotes, no white space, no separators: what an address may hold in an instruction.
const address = /^[\w\-./~%#?=&+@:,]{1,300}$/;
const inside = /^\/(?!\/)[\w\-./~%#?=&+@:,]{0,300}$/;
const plainPath = /^\/[\w\-./~]{0,300}$/;

/** Names that checks give to the address as it is written, and to the one that is meant. */
const written = ["href", "raw", "from"];
const meant = ["candidate", "to", "final", "finalUrl", "realPath", "suggestion"];

function textAt(evidence: Record<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = evidence[name];
    if (typeof value === "string" && value !== "") return value;
    const { path, url } = (value ?? {}) as { path?: unknown; url?: unknown };
    const inner = path ?? url;
    if (typeof inner === "string" && inner !== "") return inner;
  }
  return null;
}

/** The address that stands in the page, and the one that has to stand there; null when either is unclear. */
function correctionOf({ check_id, evidence: text }: Told): { from: string; to: string } | null {
  const evidence = evidenceOf({ evidence: text });
  const from = textAt(evidence, written);
  // White space around an address is what is wrong with some; none of it breaks a line.
  if (from === null || !address.test(from.replace(/^ {1,9}| {1,9}$/g, ""))) return null;
  if (check_id === "link.http-on-https" && from.startsWith("http://")) {
    return { from, to: `https://${from.slice("http://".length)}` };
  }
  const to = textAt(evidence, meant);
  return to !== null && to !== from && inside.test(to) ? { from, to } : null;
}

/** The one page that it is on, where the literal editor has a word for it; else the whole site. */
function scopeOf(told: Told): string {
  const pages = new Set(occurrencesOf(told).map(({ page }) => page));
  const [page] = pages;
  const single = pages.size === 1 && told.page_count <= 1 && page !== undefined;
  return single && plainPath.test(page) ? `on ${page}` : "everywhere";
}

function changeLink(told: Told): string | null {
  const correction = told.check_id.startsWith("link.") && told.safe ? correctionOf(told) : null;
  return (
    correction && `change the link "${correction.from}" to "${correction.to}" ${scopeOf(told)}`
  );
}

const pictures =
  "Look at each picture that is named below and give it a short alternative text that says what it shows there";

const sentences: Readonly<Record<string, string>> = {
  "img.alt-missing": `${pictures}; an empty one only where it is mere decoration.`,
  "img.link-no-alt": `${pictures}, and so where its link leads.`,
  "img.alt-filename": `${pictures}, in place of the file's name.`,
  "img.alt-duplicate-adjacent": `${pictures} beyond what the words beside it say already.`,
  "img.alt-too-long":
    "Shorten the alternative text of each picture that is named below to what matters.",
  "a11y.axe.image-alt": `${pictures}; an empty one only where it is mere decoration.`,
  "link.internal-broken":
    "Let the link that is named below lead to the page that is meant; take it away only where there is none.",
  "link.fragment-missing":
    "Let the link that is named below lead to the place on the page that is meant.",
  "link.no-text": "Give the link that is named below a name that says where it leads.",
  "seo.title-missing": "Give the page a title that says what it is about.",
  "meta.description-missing": "Give the page a description that says what it is about.",
};

/** Checks whose findings of one page are mended together, by looking at its pictures. */
export function isAlt(check: string): boolean {
  return /^img\.(alt-|link-no-alt$)|^a11y\.axe\.(image-alt|role-img-alt|input-image-alt)$/.test(
    check,
  );
}

/** What to do about these findings: one, or several of pictures on one page. */
export function repairOf(rows: readonly Told[]): Repair {
  const [first] = rows;
  if (first === undefined) throw new Error("A repair of nothing.");
  const exact = rows.length === 1 ? changeLink(first) : null;
  if (exact !== null) return { words: exact, exact: true };
  const checks = [...new Set(rows.map(({ check_id }) => check_id))];
  const words = checks.map(
    (check) => sentences[check] ?? `Mend this, and nothing else: “${titleOf(check)}”.`,
  );
  return { words: [...new Set(words)].join("\n"), exact: false };
}
