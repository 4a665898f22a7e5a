import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Journal } from "../journal.ts";
import type { Product } from "../product.ts";
import type { Stored } from "./stored.ts";

const missing = <T>(what: string, expected: Iterable<T>, stored: ReadonlySet<T>) =>
  [...expected].filter((one) => !stored.has(one)).map((one) => `${what} ${one} is lost`);

function repeated(what: string, all: readonly string[]): string[] {
  const seen = new Set<string>();
  return all
    .filter((one) => seen.size === seen.add(one).size)
    .map((one) => `${what} ${one} is there twice`);
}

function checkProjects({ projects }: Journal, stored: Stored): string[] {
  const byId = new Map(stored.projects.map((row) => [row.id, row]));
  return [...projects.values()].flatMap(({ id, acknowledged, possible }) => {
    const summary = byId.get(id)?.summary;
    if (summary === acknowledged || (summary !== undefined && possible.has(summary))) return [];
    return [`project ${id} says ${summary ?? "nothing"}, acknowledged was ${acknowledged}`];
  });
}

/** Every write exists once, and no acknowledged write is lost (abuse 105, 107). */
export function checkRecords(journal: Journal, stored: Stored): string[] {
  const runs = new Map(stored.runs.map((row) => [row.id, row.status]));
  const wrongDiscards = [...journal.discards].filter((id) => runs.get(id) !== "discarded");
  return [
    ...checkProjects(journal, stored),
    ...missing("message", journal.messages, new Set(stored.messages)),
    ...repeated("message", stored.messages),
    ...missing("account", journal.accounts, new Set(stored.accounts)),
    ...missing("media", journal.media, new Set(stored.media.map(({ src }) => src))),
    ...missing("run", journal.runs, new Set(runs.keys())),
    ...missing("task", journal.tasks, new Set(stored.tasks.map(({ id }) => id))),
    ...wrongDiscards.map((id) => `run ${id} was discarded and is ${runs.get(id)}`),
    ...(stored.signIns < journal.signIns
      ? [`${journal.signIns} sign-ins were answered, ${stored.signIns} are in the log`]
      : []),
    ...(stored.integrity === "ok" ? [] : [`the database: ${stored.integrity}`]),
    ...journal.anomalies,
  ];
}

/** Rows of media and files belong together (abuse 54). `files` are all media files, by address. */
export async function checkMedia(
  { paths }: Product,
  stored: Stored,
  files: readonly string[],
): Promise<string[]> {
  const named = new Set(
    stored.media.flatMap(({ src, poster, variants }) => [
      src,
      ...(poster === null ? [] : [poster]),
      ...(JSON.parse(variants) as { src: string }[]).map((variant) => variant.src),
    ]),
  );
  const lost: string[] = [];
  for (const src of named) {
    const file = join(paths.content, "app/public", src);
    await access(file).catch(() => lost.push(`media file ${src} is lost`));
  }
  const known = new Set(files);
  const orphans = [...known].filter((src) => !named.has(src));
  return [...lost, ...orphans.map((src) => `media file ${src} belongs to no row`)];
}
