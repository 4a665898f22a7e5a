import { managePages } from "./manage-pages.ts";

/** What the query of a page that a sign-in leads back to may hold. */
const queryPattern = /^[A-Za-z0-9%&=+._~-]{0,500}$/;

function isReturnable(address: string): boolean {
  const [path, ...rest] = address.split("?");
  if (!managePages.some((page) => page.address === path)) return false;
  return rest.length === 0 || (rest.length === 1 && queryPattern.test(rest[0] ?? ""));
}

/**
 * Where to go after signing in: one of the admin's own pages with its query, else null. Nothing
 * that comes from outside ever becomes another host or another path.
 */
export function returnAddress(value: unknown): string | null {
  return typeof value === "string" && isReturnable(value) ? value : null;
}

/** The sign-in page that leads back to `next`, and says that the last attempt failed. */
export function signInAddress(next: string | null, failed = false): string {
  const query = new URLSearchParams({
    ...(failed && { e: "1" }),
    ...(next !== null && { next }),
  }).toString();
  return query === "" ? "/admin" : `/admin?${query}`;
}
