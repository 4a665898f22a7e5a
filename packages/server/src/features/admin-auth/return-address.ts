import { managePages } from "./manage-pages.ts";

/** Allowed queries of a page that a sign-in leads back to. */
const queryPattern = /^[A-Za-z0-9%&=+._~-]{0,500}$/;

function isReturnable(address: string): boolean {
  const [path, ...rest] = address.split("?");
  if (!managePages.some((page) => page.address === path)) return false;
  return rest.length === 0 || (rest.length === 1 && queryPattern.test(rest[0] ?? ""));
}

/**
 * Where to go after signing in: an admin page with its query, otherwise null. No input can lead to
 * another host or path.
 */
export function returnAddress(value: unknown): string | null {
  return typeof value === "string" && isReturnable(value) ? value : null;
}

/** The sign-in page that leads back to `next`; can say that the last attempt failed. */
export function signInAddress(next: string | null, failed = false): string {
  const query = new URLSearchParams({
    ...(failed && { e: "1" }),
    ...(next !== null && { next }),
  }).toString();
  return query === "" ? "/admin" : `/admin?${query}`;
}
