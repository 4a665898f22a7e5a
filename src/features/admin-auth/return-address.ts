/** The pages that a sign-in may lead back to, and what their queries may hold. */
const returnable =
  /^\/admin\/(?:projects(?:\/edit|\/new)?|media|changelog)(?:\?[A-Za-z0-9%&=+._~-]{0,500})?$/;

/**
 * Where to go after signing in: one of the admin's own pages with its query, else null. Nothing
 * that comes from outside ever becomes another host or another path.
 */
export function returnAddress(value: unknown): string | null {
  return typeof value === "string" && returnable.test(value) ? value : null;
}

/** The sign-in page that leads back to `next`, and says that the last attempt failed. */
export function signInAddress(next: string | null, failed = false): string {
  const query = new URLSearchParams({
    ...(failed && { e: "1" }),
    ...(next !== null && { next }),
  }).toString();
  return query === "" ? "/admin" : `/admin?${query}`;
}
