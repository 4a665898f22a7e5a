import { readFile } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { parseJson } from "../../kit/json.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { changeKind, entryBounds } from "./entry.ts";
import { deleteSeeded, type EntryRow, insertEntries, seedKeys } from "./store.ts";

/** What seeding changed. */
export interface SeedResult {
  added: number;
  removed: number;
  kept: number;
}

const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], "is not a date or an ISO 8601 time")
  .transform((text) => isoTime(Date.parse(text)));

function textUpTo(bound: number, multiline = false) {
  return z
    .string("is not a text")
    .transform((value) => cleanText(value, { multiline }))
    .pipe(z.string().max(bound, `is longer than ${bound} characters`));
}

const title = textUpTo(entryBounds.title).pipe(z.string().min(1, "is empty"));
const kind = z.string("is not a text").regex(changeKind, "is not one word");
const places = ["at", "kind", "title", "detail", "actor"];
const head = [time, kind, title, textUpTo(entryBounds.detail, true)] as const;
const elements = { 4: z.tuple(head), 5: z.tuple([...head, textUpTo(entryBounds.actor)]) };

function fault(index: number, reason: string): AppError {
  const place = `element ${index + 1}`;
  return new AppError(
    "validation_failed",
    `Changelog seed, ${place}: ${reason}. Nothing changed.`,
    {
      fields: { [String(index)]: reason },
    },
  );
}

function readElement(value: unknown, index: number) {
  if (!Array.isArray(value) || (value.length !== 4 && value.length !== 5)) {
    throw fault(index, "it is not a list of [at, kind, title, detail, actor?]");
  }
  const result = elements[value.length].safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw fault(index, `${places[Number(issue?.path[0])] ?? "it"} ${issue?.message ?? "is wrong"}`);
}

function readSeed(json: string, ownerName: string, createdAt: string): EntryRow[] {
  const list = z.array(z.unknown()).safeParse(parseJson(json));
  if (!list.success) {
    throw new AppError("validation_failed", "The changelog seed is not a list. Nothing changed.");
  }
  const seen = new Map<string, number>();
  return list.data.map((value, index): EntryRow => {
    const [at, word, headline, detail, named] = readElement(value, index);
    const actor = named || ownerName;
    const content = JSON.stringify([at, word, headline, detail, actor]);
    const before = seen.get(content) ?? 0;
    seen.set(content, before + 1);
    const seedKey = sha256Hex(`${content}#${before}`);
    const said = { at, kind: word, title: headline, detail, actor };
    return Object.assign(said, { source: "seed", commit: null, seedKey, createdAt } as const);
  });
}

/**
 * Makes the seeded entries those of `json`, a list of `[at, kind, title, detail, actor?]`; who names
 * no actor gets the owner's name. Again, or twice at once, changes nothing more; entries made in the
 * app are never touched. A malformed list throws `malformed_json` or `validation_failed` that names
 * the element, and changes nothing.
 */
export async function seedChangelog(
  db: Db,
  seed: { json: string; ownerName: string; now: number },
): Promise<SeedResult> {
  const rows = readSeed(seed.json, seed.ownerName, isoTime(seed.now));
  const wanted = new Set(rows.map((row) => row.seedKey));
  return db.transaction().execute(async (transaction) => {
    const present = new Set(await seedKeys(transaction));
    const removed = await deleteSeeded(
      transaction,
      [...present].filter((key) => !wanted.has(key)),
    );
    const missing = rows.filter((row) => !present.has(row.seedKey ?? ""));
    const added = await insertEntries(transaction, missing);
    return { added, removed, kept: rows.length - added };
  });
}

/** The same from a file. Throws `not_found` when there is none. */
export async function seedChangelogFile(
  db: Db,
  seed: { file: string; ownerName: string; now: number },
): Promise<SeedResult> {
  let json: string;
  try {
    json = await readFile(seed.file, "utf8");
  } catch (cause) {
    throw new AppError("not_found", `The changelog seed ${seed.file} can't be read.`, { cause });
  }
  return seedChangelog(db, { json, ownerName: seed.ownerName, now: seed.now });
}
