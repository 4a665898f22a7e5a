import { createHash } from "node:crypto";
import type { Observation } from "vitrine-qa/src/engine/job.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { openJail } from "../../agent/tools/jail.ts";
import { ToolRefusal } from "../../agent/tools/refusal.ts";
import { listUnfixedFingerprints } from "../findings/reconcile-store.ts";
import { componentName, isDecidedByTag, isOfElements } from "./component.ts";
import { placesToCheck, queriesOf, subjectOf } from "./defect.ts";
import { filePlace, findElements, type FindElementsDependencies } from "./find-elements.ts";
import type { PageElements } from "./page-elements-worker.ts";

export interface GroupBySourceDependencies extends FindElementsDependencies {
  db: Db;
  /** The content repository. */
  contentDir: string;
  limits: Limits["workspace"];
}

/** Combines what a run has found at elements that one line of the source writes. */
export type GroupBySource = (observations: readonly Observation[]) => Promise<Observation[]>;

/** Bounds of one run: what is beyond them stays as it is. */
const max = { observations: 3000, pages: 300, places: 3, stored: 50, former: 1000 } as const;

/** Where an element is written. */
interface Line {
  file: string;
  line: number;
  column: number;
}

interface Located {
  seen: Observation;
  at: Line;
  fingerprint: string;
}

/** The element of a place, without its surroundings: `a.card`. */
const elementOf = ({ occurrences: [place] }: Observation): string =>
  place?.selector.split(" ").at(-1) ?? "";

/** Without the line, which changes with every edit above it. */
function fingerprintOf(seen: Observation, { file }: Line): string {
  const identity = [seen.check, "component", file, elementOf(seen)];
  return createHash("sha256").update(identity.join("\0")).digest("hex").slice(0, 24);
}

function lineOf(elements: PageElements | undefined): Line | null {
  const place = filePlace(elements);
  if (place?.kind !== "file" || place.line === null) return null;
  const column = Number(/:(\d+)$/.exec(elements?.sources[0] ?? "")?.[1] ?? 0);
  return { file: place.file, line: place.line, column };
}

/** The only line that all places found come from; null if there are several, or none. */
function commonLine(found: readonly PageElements[][]): Line | null {
  const shown = found.filter((elements) => elements.some(({ count }) => count > 0));
  const lines = shown.map((elements) => lineOf(elements.at(-1)) ?? lineOf(elements[0]));
  const [first] = lines;
  const isCommon = lines.every((one) => one?.file === first?.file && one?.line === first?.line);
  return first && isCommon ? first : null;
}

async function locate(
  deps: GroupBySourceDependencies,
  observations: readonly Observation[],
): Promise<Located[]> {
  const asked = observations.flatMap((seen) =>
    placesToCheck(seen, max.places).map((place) => {
      const queries = queriesOf(subjectOf(seen, place), place);
      // An element without a text, such as a field, is found by its place alone.
      const { page, selector } = place;
      return { seen, page, queries: queries.length > 0 ? queries : [{ selector }] };
    }),
  );
  const elements = await findElements(deps, asked, max.pages);
  const bySeen = Map.groupBy(asked.keys(), (index) => asked[index]?.seen);
  return observations.flatMap((seen) => {
    const found = (bySeen.get(seen) ?? []).map((index) => elements[index] ?? []);
    const at = commonLine(found);
    return at === null ? [] : [{ seen, at, fingerprint: fingerprintOf(seen, at) }];
  });
}

/** The opening tag at a position of a file. */
function tagAt(text: string, { line, column }: Pick<Line, "line" | "column">): string {
  const lines = text.split("\n").slice(line - 1, line + 40);
  const begin = (lines[0] ?? "").lastIndexOf("<", column - 1);
  if (begin === -1) return "";
  const rest = lines.join("\n");
  let depth = 0;
  for (let at = begin; at < Math.min(rest.length, begin + 4000); at++) {
    if (rest[at] === "{") depth += 1;
    else if (rest[at] === "}") depth -= 1;
    else if (rest[at] === ">" && depth <= 0) return rest.slice(begin, at + 1);
  }
  return rest.slice(begin, begin + 4000);
}

/** Returns what reads the opening tag at a line of the site's source; empty if it can't be read. */
async function tagReader({ contentDir, limits }: GroupBySourceDependencies) {
  const jail = await openJail(contentDir, limits);
  const texts = new Map<string, string>();
  return async (at: Line): Promise<string> => {
    const known = texts.get(at.file);
    if (known !== undefined) return tagAt(known, at);
    try {
      texts.set(at.file, await jail.readText(at.file));
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
      texts.set(at.file, "");
    }
    return tagAt(texts.get(at.file) ?? "", at);
  };
}

const ranks = { error: 0, warning: 1, notice: 2 } as const;
const confidenceRanks = { confirmed: 0, likely: 1, review: 2 } as const;
const rankOf = ({ severity, confidence }: Observation) =>
  ranks[severity] * 3 + confidenceRanks[confidence];

/** The evidence that all have in common. */
function commonEvidence(all: readonly Observation[]): Observation["evidence"] {
  const [first, ...others] = all.map(({ evidence }) => evidence);
  const entries = Object.entries(first ?? {}).filter(([name, value]) =>
    others.every((other) => JSON.stringify(other[name]) === JSON.stringify(value)),
  );
  return Object.fromEntries(entries);
}

/** One finding for all defects of an element in the source, as severe as the worst of them. */
function merge(members: readonly Located[]): Observation {
  const all = members.map(({ seen }) => seen).toSorted((a, b) => rankOf(a) - rankOf(b));
  const [worst] = all;
  const [first] = members.toSorted((a, b) => a.at.line - b.at.line);
  if (worst === undefined || first === undefined) throw new Error("A group of nothing.");
  const { file, line } = first.at;
  const places = all.flatMap(({ occurrences }) => occurrences);
  const known = new Set(places.map(({ page }) => page)).size;
  const former = all.flatMap(({ fingerprint, formerly = [] }) => [fingerprint, ...formerly]);
  return {
    ...worst,
    fingerprint: first.fingerprint,
    formerly: [...new Set(former)].slice(0, max.former),
    target: null,
    message: `${titleOf(worst.check)}: all of these places come from one element of ${file}.`,
    evidence: { ...commonEvidence(all), component: `${file}:${line}` },
    // What is right for one place need not be for all.
    isSafe: false,
    critical: all.some(({ critical }) => critical),
    occurrences: places.slice(0, max.stored),
    occurrenceCount: all.reduce((sum, { occurrenceCount }) => sum + occurrenceCount, 0),
    pageCount: Math.max(known, ...all.map(({ pageCount }) => pageCount)),
  };
}

/** The defects of one element, by their fingerprint. Those of one place aren't a group. */
async function groupsOf(
  deps: GroupBySourceDependencies,
  located: readonly Located[],
): Promise<Map<string, Located[]>> {
  const fingerprints = [...new Set(located.map(({ fingerprint }) => fingerprint))];
  // What was grouped stays so while it is open, even if only one place is left.
  const stored = await listUnfixedFingerprints(deps.db, fingerprints);
  const byLine = Map.groupBy(
    located,
    ({ seen, at }) => `${seen.check}\0${seen.scope}\0${at.file}\0${at.line}`,
  );
  const tagOf = await tagReader(deps);
  const groups = new Map<string, Located[]>();
  for (const members of byLine.values()) {
    const [first] = members;
    if (first === undefined || (members.length < 2 && !stored.has(first.fingerprint))) continue;
    if (componentName(first.at.file, first.at.line) === null) continue;
    // oxlint-disable-next-line no-await-in-loop -- each file is read once
    if (!isDecidedByTag(first.seen.check, await tagOf(first.at))) continue;
    groups.set(first.fingerprint, [...(groups.get(first.fingerprint) ?? []), ...members]);
  }
  return groups;
}

/**
 * Creates the function that combines defects with one cause in the source: an element that a
 * component writes with the same defect wherever it is shown is one finding.
 */
export function makeGroupBySource(deps: GroupBySourceDependencies): GroupBySource {
  return async (observations) => {
    const candidates = observations
      .filter(
        ({ check, scope }) => isOfElements(check) && (scope === "page" || scope === "browser"),
      )
      .toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
      .slice(0, max.observations);
    if (candidates.length === 0) return [...observations];
    const groups = await groupsOf(deps, await locate(deps, candidates));
    const grouped = new Set([...groups.values()].flat().map(({ seen }) => seen));
    const rest = observations.filter((seen) => !grouped.has(seen));
    return [...rest, ...[...groups.values()].map(merge)];
  };
}
