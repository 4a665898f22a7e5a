import type { FindingRow } from "../findings/store.ts";
import { componentOf } from "../source/component.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import { parseInstruction } from "../../agent/literal/grammar.ts";
import { evidenceOf, occurrencesOf } from "./evidence.ts";

/** How to fix findings of one check. */
export interface Repair {
  /** Our own text; of page content only addresses, which have a restricted set of characters. */
  text: string;
  /** Whether the literal editor can execute it, without a model. */
  exact: boolean;
}

export type FindingFacts = Pick<
  FindingRow,
  "check_id" | "evidence" | "occurrences" | "page_url" | "is_safe"
> & {
  page_count: number;
};

// No quotes, white space, or separators: the characters allowed in an instruction's address.
const address = /^[\w\-./~%#?=&+@:,]{1,300}$/;
const plainPath = /^\/[\w\-./~]{0,300}$/;
/** Means the same on every page: begins at the root or with a scheme. */
const absolute = /^(?:\/|https?:)/i;

type Evidence = ReturnType<typeof evidenceOf>;

const textOf = (value: unknown) => (typeof value === "string" ? value.toWellFormed() : "");

const fragmentOf = (written: string) => /#.*$/s.exec(written)?.[0] ?? "";
const afterPath = (written: string) => /[?#].*$/s.exec(written)?.[0] ?? "";

/** A path encoded as in links; checks report it decoded. */
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

/** For each check, which evidence contains the literal address and which the right one. */
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

/** Whether an address is on the same site as the original: a fix never leads elsewhere. */
function isSameSite(to: string, from: string): boolean {
  const place = (url: string) => url.replace(/^http:/i, "https:").replace(/#.*$/s, "");
  return !/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(to) || place(to) === place(from);
}

/** The address on the page and the right one; null if either is unclear. */
function correctionOf({
  check_id,
  evidence: json,
}: FindingFacts): { from: string; to: string } | null {
  const evidence = evidenceOf({ evidence: json });
  const correction = corrections[check_id];
  if (correction === undefined) return null;
  const from = correction.from(evidence);
  const to = correction.to(evidence, from.trim());
  // Some addresses are wrong only because of white space; without it, they are right.
  const bare = from.replaceAll(" ", "");
  const known = address.test(bare) && (bare === from || bare === to);
  const meant = address.test(to) && from !== to && isSameSite(to, from);
  return known && meant ? { from, to } : null;
}

/** The only page with the finding, if the literal editor can name it; otherwise the whole site. */
function scopeOf(finding: FindingFacts, from: string): string | null {
  const pages = new Set(occurrencesOf(finding).map(({ page }) => page));
  const [page] = pages;
  const single = pages.size === 1 && finding.page_count <= 1 && page !== undefined;
  if (single && plainPath.test(page)) return `on ${page}`;
  return absolute.test(from) ? "everywhere" : null;
}

/** The instruction for the literal editor to correct a link; null if it isn't clear. */
function linkRepair(finding: FindingFacts): string | null {
  const correction = finding.is_safe === 1 ? correctionOf(finding) : null;
  const scope = correction && scopeOf(finding, correction.from);
  return (
    correction && scope && `change the link "${correction.from}" to "${correction.to}" ${scope}`
  );
}

/** Checks that any description of the image satisfies. */
const undescribed = new Set([
  "img.alt-missing",
  "img.alt-empty-content",
  "img.alt-filename",
  "a11y.axe.image-alt",
]);

// Valid descriptions: one line, without anything that could end the quotes around it.
const description = /^[\p{L}\p{N}“‘„«(][\p{L}\p{M}\p{N}\p{Sc} .,;:!?()%&+/#“”„«»‘’–—…-]{2,299}$/u;
const fileName = /\.(?:jpe?g|png|gif|webp|avif|svg|heic|tiff?|bmp|mp4|mov)$|^[\w-]*\d{3}[\w-]*$/i;

/** An image in a record, and its description in the library. */
export interface DescribedImage {
  /** The record's page. */
  page: string;
  src: string;
  /** The library's alt text. */
  alt: string;
  /** Descriptions that the record already contains; a duplicate would be another defect. */
  present: readonly string[];
}

/** The instruction that gives a record's image the library's alt text. */
function altRepair(finding: FindingFacts, image: DescribedImage | null): string | null {
  if (image === null || finding.is_safe !== 1 || !undescribed.has(finding.check_id)) return null;
  const { src, page } = image;
  const alt = image.alt.normalize("NFC").trim();
  const isNew = !image.present.some((text) => text.trim().toLowerCase() === alt.toLowerCase());
  const isUsable = description.test(alt) && !fileName.test(alt) && isNew;
  if (!isUsable || !plainPath.test(page)) return null;
  const text = `set the alt text of "${src}" to "${alt}" on ${page}`;
  const [command] = parseInstruction(text).commands;
  // The grammar has to parse it exactly as intended.
  return command?.kind === "alt" && command.image === src && command.value === alt ? text : null;
}

/** The instruction for the literal editor to fix a finding; null if a model is needed. */
export function exactRepair(finding: FindingFacts, image: DescribedImage | null): string | null {
  const text = isAlt(finding.check_id) ? altRepair(finding, image) : linkRepair(finding);
  // If the grammar parses it differently, it isn't an exact fix.
  const { commands, rest } = parseInstruction(text ?? "");
  return commands.length === 1 && rest === "" ? text : null;
}

const images =
  "Look at each image listed below and give it short alt text that says what it shows there";

const sentences: Readonly<Record<string, string>> = {
  "img.alt-missing": `${images}. Leave it empty only if the image is purely decorative.`,
  "img.alt-empty-content": `${images}.`,
  "img.link-no-alt": `${images}, and so where its link leads.`,
  "img.alt-filename": `${images}, instead of the file's name.`,
  "img.alt-duplicate-adjacent": `${images} beyond what the text next to it already says.`,
  "img.alt-too-long": "Shorten the alt text of each image listed below to what matters.",
  "a11y.axe.image-alt": `${images}. Leave it empty only if the image is purely decorative.`,
  "link.internal-broken":
    "Make the link named below lead to the intended page. Remove it only if there is none.",
  "link.fragment-missing": "Make the link named below lead to the intended place on the page.",
  "link.no-text": "Give the link named below a text that says where it leads.",
  "seo.title-missing": "Give the page a title that says what it is about.",
  "meta.description-missing": "Give the page a description that says what it is about.",
};

/** Checks whose findings on one page are fixed together by viewing its images. */
export function isAlt(check: string): boolean {
  return /^img\.(alt-|link-no-alt$)|^a11y\.axe\.(image-alt|role-img-alt|input-image-alt)$/.test(
    check,
  );
}

/**
 * Whether a fix requires viewing an image, which not every model can. A component that gives its
 * images no alt text is fixed in its source.
 */
export function needsVision(row: RepairFacts): boolean {
  return isAlt(row.check_id) && row.check_id !== "img.alt-too-long" && componentOf(row) === null;
}

/** What an instruction for a finding depends on. */
export type RepairFacts = Pick<FindingRow, "check_id" | "evidence" | "target" | "reporter">;

function sentenceOf(row: RepairFacts): string {
  const title = titleOf(row.check_id);
  if (componentOf(row) !== null) {
    return `Fix this in the source file named below, once for all places: “${title}”.`;
  }
  return sentences[row.check_id] ?? `Fix this, and nothing else: “${title}”.`;
}

/**
 * How to fix these findings: one, or several about images on one page.
 * @param exact for each, the instruction for the literal editor; null for none
 */
export function repairOf(rows: readonly RepairFacts[], exact: readonly (string | null)[]): Repair {
  if (rows.length === 0) throw new Error("A repair of nothing.");
  const instructions = exact.filter((text) => text !== null);
  if (instructions.length === rows.length) {
    return { text: [...new Set(instructions)].join("\n"), exact: true };
  }
  return { text: [...new Set(rows.map(sentenceOf))].join("\n"), exact: false };
}
