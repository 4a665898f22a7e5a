import { AppError } from "../../kit/errors.ts";
import type { UserSession, Visitor } from "./account.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { normalizeForComparison } from "./password.ts";
import { findUserRowById } from "./store.ts";

export function wrongPassword(field: "current" | "password"): AppError {
  return new AppError("invalid_credentials", "That isn't your password.", {
    fields: { [field]: "isn't your password" },
  });
}

/**
 * Checks the password of a signed-in user and returns the hash it was compared with. Throws
 * `invalid_credentials` with the field, `throttled`, `unavailable`.
 */
export async function confirmPassword(
  { db, hasher, confirmBudget }: AccountDependencies,
  userId: number,
  visitor: Visitor,
  password: string,
  field: "current" | "password",
): Promise<string> {
  const booking = await confirmBudget.reserve(visitor, userId);
  try {
    const row = await findUserRowById(db, userId);
    const hash = row?.password_hash ?? null;
    const { matches } = await hasher.verify(normalizeForComparison(password), hash);
    if (matches && hash !== null) {
      await booking.refund();
      return hash;
    }
  } catch (error) {
    await booking.refund();
    throw error;
  }
  throw wrongPassword(field);
}

/** A sign-in no older than this proves identity without a password, ms. */
const freshSignIn = 10 * 60_000;

/**
 * Requires a recent sign-in, because a browser may have been left signed in. Throws `forbidden`.
 */
export function requireFreshSignIn({ createdAt }: UserSession, now: number): void {
  if (now - Date.parse(createdAt) <= freshSignIn) return;
  throw new AppError("forbidden", "Sign in again to confirm that it's you.");
}
