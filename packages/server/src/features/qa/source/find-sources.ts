import type { Occurrence } from "vitrine-qa/src/engine/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { WorkerPool } from "../../../platform/worker-pool.ts";
import { filesOf, findMediaBySrc, type Media } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import { listPublished } from "../../projects/store.ts";
import type { FindingRow } from "../findings/store.ts";
import { evidenceOf, occurrencesOf } from "../fix/evidence.ts";
import { readBodies } from "./bodies.ts";
import { componentOf } from "./component.ts";
import { placesToCheck, queriesOf, type Subject, subjectOf } from "./defect.ts";
import { filePlace, findElements, type FindElementsDependencies } from "./find-elements.ts";
import type { FindingSource } from "./finding-source.ts";
import type { PageElements } from "./page-elements-worker.ts";
import {
  findHeadPlace,
  findImagePlace,
  findLinkPlace,
  findTextPlace,
  type IndexedRecords,
  indexRecords,
  type PublicRecords,
} from "./record-place.ts";

export interface FindSourcesDependencies extends FindElementsDependencies {
  db: Db;
}

/** Places of one finding that are looked up, each on a page of its own. */
const maxPlaces = 8;
/** Pages read for one call. */
const maxPages = 500;

/** The records as everyone sees them now. */
async function readPublicRecords(db: Db): Promise<PublicRecords> {
  const projects = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
  const stored = await findMediaBySrc(db, projects.flatMap(mediaAddresses));
  const media = new Map<string, Media>();
  for (const item of stored.values()) {
    for (const src of filesOf(item)) media.set(src, item);
  }
  return { projects, media };
}

/** The public records, with parsed texts if a finding may be about something in one. */
async function readIndexedRecords(
  { db, workers }: { db: Db; workers: WorkerPool },
  subjects: readonly Subject[],
): Promise<IndexedRecords> {
  const records = await readPublicRecords(db);
  const needsBodies = subjects.some(({ kind }) => kind === "link" || kind === "image");
  return indexRecords(records, await readBodies(workers, needsBodies ? records.projects : []));
}

interface Place {
  id: number;
  place: Occurrence;
  subject: Subject;
}

function recordPlace(
  records: IndexedRecords,
  { place: { page }, subject }: Place,
  all: PageElements | undefined,
): FindingSource | null {
  if (subject.kind === "head") return findHeadPlace(records, { page, part: subject.part });
  const count = all?.count ?? 0;
  if (subject.kind === "link") return findLinkPlace(records, { page, href: subject.href, count });
  if (subject.kind === "image") return findImagePlace(records, { page, src: subject.src, count });
  return findTextPlace(records, { page, text: subject.text, count });
}

/** The source of one place; undefined if its page doesn't show it now, which says nothing. */
function sourceOfPlace(
  records: IndexedRecords,
  place: Place,
  [alike, same]: readonly PageElements[],
): FindingSource | null | undefined {
  const found = recordPlace(records, place, alike) ?? filePlace(alike) ?? filePlace(same);
  if (found !== null) return found;
  return place.subject.kind !== "head" && (alike?.count ?? 0) === 0 ? undefined : null;
}

/** The file or the field that all places come from; null if that isn't certain. */
function commonSource(sources: readonly (FindingSource | null)[]): FindingSource | null {
  const [first, ...others] = sources;
  if (!first) return null;
  const isEqual = (one: FindingSource | null) => JSON.stringify(one) === JSON.stringify(first);
  if (others.every(isEqual)) return first;
  const isSameFile = others.every((one) => one?.kind === "file" && one.file === fileOf(first));
  return isSameFile && first.kind === "file" ? { ...first, line: null } : null;
}

const fileOf = (source: FindingSource) => (source.kind === "file" ? source.file : null);

/** The places of a finding that are looked up. A component's finding names its source itself. */
function placesOf(row: FindingRow): Place[] {
  const evidence = evidenceOf(row);
  if (componentOf(row) !== null) return [];
  const { check_id: check, page_url: page, target } = row;
  const defect = { check, page, target, evidence, occurrences: occurrencesOf(row) };
  return placesToCheck(defect, maxPlaces).map((place) => ({
    id: row.id,
    place,
    subject: subjectOf(defect, place),
  }));
}

/**
 * Where the targets of findings can be edited, according to the live site and the public records.
 * Several places of a finding are looked up: a source has to be that of all of them.
 * @returns the sources by finding ID, null if unclear, because nothing is guessed; and the records
 * they were found in
 */
export async function findSources(
  deps: FindSourcesDependencies,
  rows: readonly FindingRow[],
): Promise<{ sources: Map<number, FindingSource | null>; records: IndexedRecords }> {
  const places = rows.map(placesOf);
  // The first place of each finding comes first: the number of pages is limited.
  const all = [
    ...places.flatMap((some) => some.slice(0, 1)),
    ...places.flatMap((some) => some.slice(1)),
  ];
  const records = await readIndexedRecords(
    deps,
    all.map(({ subject }) => subject),
  );
  const asked = all.map(({ place, subject }) => ({
    page: place.page,
    queries: queriesOf(subject, place),
  }));
  const elements = await findElements(deps, asked, maxPages);
  const found = Map.groupBy(
    all.map((place, index) => ({
      id: place.id,
      source: sourceOfPlace(records, place, elements[index] ?? []),
    })),
    ({ id }) => id,
  );
  const sources = new Map<number, FindingSource | null>();
  for (const row of rows) {
    const known = (found.get(row.id) ?? []).flatMap(({ source }) =>
      source === undefined ? [] : [source],
    );
    sources.set(row.id, componentOf(row) ?? commonSource(known));
  }
  return { sources, records };
}
