import type { Db } from "../../../platform/db/connect.ts";
import { workerJob, type WorkerPool, WorkerFailure } from "../../../platform/worker-pool.ts";
import { findMediaBySrc, type Media } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import { listPublished } from "../../projects/store.ts";
import type { LiveReleases } from "../../release/site/live-release.ts";
import { findInRelease } from "../../release/site/public-site.ts";
import type { FindingRow } from "../findings/store.ts";
import { evidenceOf, occurrencesOf } from "../fix/evidence.ts";
import type { FindingSource } from "./finding-source.ts";
import { readBodies } from "./bodies.ts";
import type { ElementQuery, findPageElements, PageElements } from "./page-elements-worker.ts";
import {
  findHeadPlace,
  findImagePlace,
  findLinkPlace,
  findTextPlace,
  type IndexedRecords,
  indexRecords,
  type PublicRecords,
} from "./record-place.ts";

export interface FindSourcesDependencies {
  db: Db;
  workers: WorkerPool;
  releases: LiveReleases;
}

const findElementsJob = workerJob<typeof findPageElements>(
  new URL("./page-elements-worker.ts", import.meta.url),
  "findPageElements",
);

/** The records as everyone sees them now. */
async function readPublicRecords(db: Db): Promise<PublicRecords> {
  const projects = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
  const stored = await findMediaBySrc(db, projects.flatMap(mediaAddresses));
  const media = new Map<string, Media>();
  for (const item of stored.values()) {
    for (const { src } of item.variants) media.set(src, item);
    media.set(item.src, item);
  }
  return { projects, media };
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);

/** The part of a page that a finding is about, as in its markup. */
type Subject =
  | { kind: "link"; href: string }
  | { kind: "image"; src: string }
  | { kind: "head"; part: "title" | "description" }
  | { kind: "element"; text: string };

const ofLinks = /^link\./;
const ofImages = /^img\.|^a11y\.axe\.(?:image-alt|input-image-alt)$/;

function subjectOf(row: FindingRow): Subject {
  const { check_id: check, target } = row;
  const evidence = evidenceOf(row);
  const [place] = occurrencesOf(row);
  if (ofLinks.test(check)) {
    const href = textOf(evidence["href"]) ?? textOf(evidence["target"]) ?? textOf(target);
    if (href !== null) return { kind: "link", href };
  }
  if (ofImages.test(check)) {
    const src = textOf(evidence["src"]) ?? textOf(target);
    if (src !== null) return { kind: "image", src };
  }
  if (check.startsWith("seo.title-")) return { kind: "head", part: "title" };
  if (check.startsWith("meta.description-")) return { kind: "head", part: "description" };
  return { kind: "element", text: place?.text.replace(/\s+/g, " ").trim() ?? "" };
}

/** Maximum characters of an element's text in a finding; longer ones are truncated. */
const maxElementText = 79;

/** What to search for on a page: all similar elements, and those at the reported location. */
function queriesOf(row: FindingRow, subject: Subject): ElementQuery[] {
  const selector = occurrencesOf(row)[0]?.selector ?? "";
  const at = selector === "" ? {} : { selector };
  if (subject.kind === "link") return [{ href: subject.href }, { href: subject.href, ...at }];
  if (subject.kind === "image") return [{ src: subject.src }, { src: subject.src, ...at }];
  const { text = "" } = subject.kind === "element" ? subject : {};
  if (subject.kind === "head" || text === "" || text.length > maxElementText) return [];
  return [{ text }, { text, ...at }];
}

function recordPlace(
  records: IndexedRecords,
  { page_url: page }: FindingRow,
  subject: Subject,
  all: PageElements | undefined,
): FindingSource | null {
  if (subject.kind === "head") return findHeadPlace(records, { page, part: subject.part });
  const count = all?.count ?? 0;
  if (subject.kind === "link") return findLinkPlace(records, { page, href: subject.href, count });
  if (subject.kind === "image") return findImagePlace(records, { page, src: subject.src, count });
  return findTextPlace(records, { page, text: subject.text, count });
}

/** The only source line of elements; null if there are several, or some aren't from a file. */
function filePlace(elements: PageElements | undefined): FindingSource | null {
  const [source, ...others] = elements?.sources ?? [];
  if (source === undefined || others.length > 0 || elements?.untagged !== 0) return null;
  const [, file = "", line = ""] = /^(.+):(\d+):\d+$/.exec(source) ?? [];
  return file === "" ? null : { kind: "file", file, line: Number(line) };
}

async function readElements(
  { workers, releases }: FindSourcesDependencies,
  path: string,
  queries: readonly ElementQuery[],
): Promise<PageElements[]> {
  const release = await releases.current();
  const found = release && findInRelease(release, path.split("?", 1)[0]);
  if (found === undefined || found === "missing" || !("file" in found) || !found.file.page) {
    return [];
  }
  const { file } = found;
  const page = { path: file.path, release: file.release, hash: file.entry.hash };
  try {
    return await workers.run(findElementsJob, { page, queries });
  } catch (error) {
    // A page that can't be read in time has no results.
    if (error instanceof WorkerFailure) return [];
    throw error;
  }
}

/** The public records, with parsed texts if a finding may be about something in one. */
async function readIndexedRecords(
  { db, workers }: FindSourcesDependencies,
  subjects: readonly Subject[],
): Promise<IndexedRecords> {
  const records = await readPublicRecords(db);
  const needsBodies = subjects.some(({ kind }) => kind === "link" || kind === "image");
  return indexRecords(records, await readBodies(workers, needsBodies ? records.projects : []));
}

/**
 * Where the targets of findings can be edited, according to the live site and the public records.
 * @returns the sources by finding ID, null if unclear, because nothing is guessed; and the records
 * they were found in
 */
export async function findSources(
  deps: FindSourcesDependencies,
  rows: readonly FindingRow[],
): Promise<{ sources: Map<number, FindingSource | null>; records: IndexedRecords }> {
  const found = rows.map((row) => ({ row, subject: subjectOf(row) }));
  const records = await readIndexedRecords(
    deps,
    found.map(({ subject }) => subject),
  );
  const sources = new Map<number, FindingSource | null>();
  for (const [page, onPage] of Map.groupBy(found, ({ row }) => row.page_url)) {
    const asked = onPage.map(({ row, subject }) => ({
      row,
      subject,
      queries: queriesOf(row, subject),
    }));
    const all = asked.flatMap(({ queries }) => queries);
    // oxlint-disable-next-line no-await-in-loop -- a page at a time: others wait for the same threads
    const elements = all.length === 0 ? [] : await readElements(deps, page, all);
    let next = 0;
    for (const { row, subject, queries } of asked) {
      const [alike, same] = elements.slice(next, next + queries.length);
      next += queries.length;
      const place = recordPlace(records, row, subject, alike) ?? filePlace(alike);
      sources.set(row.id, place ?? filePlace(same));
    }
  }
  return { sources, records };
}
