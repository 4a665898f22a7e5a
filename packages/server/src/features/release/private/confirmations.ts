import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findSetting, putSetting } from "../../settings/store.ts";
import { type PrivateRefusal, privateRefusal } from "./schema.ts";

/** The last fingerprints of findings that the owner let go live, as JSON. */
const key = "private.confirmed";
const maxConfirmations = 100;

async function read(db: Db): Promise<string[]> {
  const stored = await findSetting(db, key);
  try {
    const list: unknown = JSON.parse(stored?.value ?? "[]");
    return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** Notes that the owner was shown these findings and lets exactly them go live. `now` in ms. */
export async function saveConfirmation(db: Db, fingerprint: string, now: number): Promise<void> {
  const before = (await read(db)).filter((one) => one !== fingerprint);
  const value = JSON.stringify([...before, fingerprint].slice(-maxConfirmations));
  await putSetting(db, key, { value, sealed: null }, isoTime(now));
}

/** What the last rebuild was refused for, as JSON of its details. */
const refusalKey = "private.rebuild";

/** Keeps why a rebuild failed where that was private text, for whoever may confirm it. */
export async function saveRefusal(db: Db, error: unknown, now: number): Promise<void> {
  const isPrivate = error instanceof AppError && error.code === "private_text";
  const value = JSON.stringify(isPrivate ? error.details : null);
  await putSetting(db, refusalKey, { value, sealed: null }, isoTime(now));
}

/** What the last rebuild that failed was refused for; null where it was for something else. */
export async function findRefusal(db: Db): Promise<PrivateRefusal | null> {
  const stored = await findSetting(db, refusalKey);
  if (stored?.value === undefined || stored.value === null) return null;
  return privateRefusal.nullable().safeParse(parseJson(stored.value)).data ?? null;
}

/** Whether the owner lets these findings go live. */
export async function isConfirmed(db: Db, fingerprint: string): Promise<boolean> {
  return (await read(db)).includes(fingerprint);
}
