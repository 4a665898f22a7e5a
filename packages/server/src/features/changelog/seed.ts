import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { entryActor, entryAt, entryDetail, entryKind, entryTitle } from "./schema.ts";
import { readSeedFile } from "./seed-file.ts";
import {
  type ChangelogEntry,
  deleteSeeded,
  type EntryRow,
  insertEntries,
  listEntries,
  listSeeded,
  readSeedState,
  seedKeys,
  writeSeedState,
} from "./store.ts";

/** The seed: a JSON text, and the author of entries that name nobody. */
export interface Seed {
  json: string;
  ownerName: string;
}

/** What seeding has changed. */
export interface SeedResult {
  added: number;
  removed: number;
  unchanged: number;
}

const places = ["at", "kind", "title", "detail", "actor"];
const head = [entryAt, entryKind, entryTitle, entryDetail] as const;
const elements = { 4: z.tuple(head), 5: z.tuple([...head, entryActor]) };

function fault(index: number, reason: string): AppError {
  const place = `element ${index + 1}`;
  return new AppError("validation_failed", `database/changelog.json, ${place}: ${reason}.`, {
    fields: { [String(index)]: reason },
  });
}

function readElement(value: unknown, index: number) {
  if (!Array.isArray(value) || (value.length !== 4 && value.length !== 5)) {
    throw fault(index, "it is not a list of [at, kind, title, detail, actor?]");
  }
  const result = elements[value.length].safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw fault(index, `${places[Number(issue?.path[0])] ?? "it"} ${issue?.message ?? "is invalid"}`);
}

/** More entries than a site gets in decades. */
const maxEntries = 20_000;
/** After this many entries, the event loop gets a turn. */
const entriesPerTurn = 200;

async function readSeed({ json, ownerName }: Seed, createdAt: string): Promise<EntryRow[]> {
  const list = readJson(json);
  if (!Array.isArray(list)) {
    throw new AppError("validation_failed", "database/changelog.json is not a list.");
  }
  if (list.length > maxEntries) {
    const message = `database/changelog.json has more than ${maxEntries} entries.`;
    throw new AppError("validation_failed", message);
  }
  const seen = new Map<string, number>();
  const rows: EntryRow[] = [];
  for (const [index, value] of (list as unknown[]).entries()) {
    if (index % entriesPerTurn === 0) await nextTurn();
    const [at, word, headline, detail, named] = readElement(value, index);
    const actor = named || ownerName;
    const content = JSON.stringify([at, word, headline, detail, actor]);
    const before = seen.get(content) ?? 0;
    seen.set(content, before + 1);
    const seedKey = sha256Hex(`${content}#${before}`);
    const entry = { at, kind: word, title: headline, detail, actor };
    rows.push({ ...entry, source: "seed", commit: null, seedKey, createdAt });
  }
  return rows;
}

/** The JSON values in a list of `maxEntries` with five texts each, and some reserve. */
const maxValues = 8 * maxEntries;
const maxDepth = 8;

/**
 * Whether a JSON text has no more values or nesting than a seed may have. It is scanned before
 * parsing, because 8 MiB of brackets take the parser more than a second.
 */
function isPlain(json: string): boolean {
  let [depth, values] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const c = json[at];
    if (c === '"') {
      at += 1;
      while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
    } else if (c === "," || c === "[" || c === "{") values += 1;
    if (c === "[" || c === "{") depth += 1;
    else if (c === "]" || c === "}") depth -= 1;
    if (depth > maxDepth || values > maxValues) return false;
  }
  return true;
}

function readJson(json: string): unknown {
  if (!isPlain(json)) {
    const message = "database/changelog.json is not a list of entries, or has too many.";
    throw new AppError("validation_failed", message);
  }
  try {
    return JSON.parse(json);
  } catch (cause) {
    // The parser's message contains the position and quotes the text.
    const where = cleanText((cause as Error).message).slice(0, 200);
    throw new AppError("malformed_json", `database/changelog.json is not JSON: ${where}.`, {
      cause,
    });
  }
}

/** Identifies a seed: its entries depend on its bytes and on the owner's name. */
export function seedMark({ json, ownerName }: Seed): string {
  return sha256Hex(JSON.stringify([json, ownerName]));
}

async function applySeed(transaction: Db, rows: EntryRow[]): Promise<SeedResult> {
  const wanted = new Set(rows.map((row) => row.seedKey));
  const present = new Set(await seedKeys(transaction));
  const removed = await deleteSeeded(
    transaction,
    [...present].filter((key) => !wanted.has(key)),
  );
  const missing = rows.filter((row) => !present.has(row.seedKey ?? ""));
  const added = await insertEntries(transaction, missing);
  return { added, removed, unchanged: rows.length - added };
}

/**
 * Replaces the seeded entries with those of `json`, a list of `[at, kind, title, detail, actor?]`,
 * and stores the seed's mark; the default actor is the owner. Idempotent, even concurrently;
 * entries created in the app are never changed. `onChange` is called in the transaction if any
 * entry was added or removed. A malformed list throws `malformed_json` or `validation_failed`,
 * which names the element, and changes nothing.
 */
export async function seedChangelog(
  db: Db,
  seed: Seed & { now: number; onChange?: (transaction: Db, reason: string) => Promise<void> },
): Promise<SeedResult> {
  const readAt = isoTime(seed.now);
  const rows = await readSeed(seed, readAt);
  return db.transaction().execute(async (transaction) => {
    const result = await applySeed(transaction, rows);
    await writeSeedState(transaction, { sha256: seedMark(seed), readAt, error: null });
    if (result.added + result.removed > 0) {
      await seed.onChange?.(transaction, "database/changelog.json has changed");
    }
    return result;
  });
}

/** The same from a file. Throws `not_found` if there is none. */
export async function seedChangelogFile(
  db: Db,
  { file, ...seed }: { file: string } & Omit<Parameters<typeof seedChangelog>[1], "json">,
): Promise<SeedResult> {
  const json = await readSeedFile(file);
  if (json === null) throw new AppError("not_found", `There is no changelog seed at ${file}.`);
  return seedChangelog(db, { ...seed, json });
}

/**
 * The newest entries that visitors will see once this seed is applied. Without a seed, or if it was
 * read last, malformed or not, those of the database. Throws like `seedChangelog`.
 */
export async function listEntriesAfterSeeding(
  db: Db,
  { limit, seed }: { limit: number; seed: Seed | null },
): Promise<Omit<ChangelogEntry, "id" | "hidden">[]> {
  const isCurrent = seed === null || (await readSeedState(db))?.sha256 === seedMark(seed);
  if (isCurrent) return (await listEntries(db, { limit, offset: 0, isShown: true })).items;
  const rows = await readSeed(seed, "");
  const wanted = new Set(rows.map((row) => row.seedKey));
  const seeded = await listSeeded(db);
  const present = new Set(seeded.map((entry) => entry.seedKey));
  const own = (await listEntries(db, { limit, offset: 0, source: "app", isShown: true })).items;
  const remaining = [...own, ...seeded.filter((entry) => wanted.has(entry.seedKey))];
  // A new entry gets the next ID, and entries of the same moment are sorted by descending ID.
  const added = rows
    .filter((row) => !present.has(row.seedKey ?? ""))
    .map((row, index) => Object.assign(row, { id: 2 ** 40 + index }));
  return [...remaining, ...added]
    .toSorted((a, b) => (a.at === b.at ? b.id - a.id : a.at < b.at ? 1 : -1))
    .slice(0, limit);
}
