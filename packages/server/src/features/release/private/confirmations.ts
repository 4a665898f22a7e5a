import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findSetting, putSetting } from "../../settings/store.ts";
import { type PrivateRefusal, privateRefusal } from "./schema.ts";

/** The last fingerprints that the owner has confirmed, as JSON. */
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

/** Stores that the owner has seen these findings and confirmed exactly them. `now` in ms. */
export async function saveConfirmation(db: Db, fingerprint: string, now: number): Promise<void> {
  const before = (await read(db)).filter((one) => one !== fingerprint);
  const value = JSON.stringify([...before, fingerprint].slice(-maxConfirmations));
  await putSetting(db, key, { value, sealed: null }, isoTime(now));
}

/** Why the last rebuild was refused, as JSON. */
const refusalKey = "private.rebuild";

/**
 * Stores why a rebuild failed if it was because of private text, so that the owner can confirm it.
 */
export async function saveRefusal(db: Db, error: unknown, now: number): Promise<void> {
  const isPrivate = error instanceof AppError && error.code === "private_text";
  const value = JSON.stringify(isPrivate ? error.details : null);
  await putSetting(db, refusalKey, { value, sealed: null }, isoTime(now));
}

/** Why the last rebuild was refused; null if it failed for another reason. */
export async function findRefusal(db: Db): Promise<PrivateRefusal | null> {
  const stored = await findSetting(db, refusalKey);
  if (stored?.value === undefined || stored.value === null) return null;
  return privateRefusal.nullable().safeParse(parseJson(stored.value)).data ?? null;
}

/** Whether the owner has confirmed these findings. */
export async function isConfirmed(db: Db, fingerprint: string): Promise<boolean> {
  return (await read(db)).includes(fingerprint);
}
