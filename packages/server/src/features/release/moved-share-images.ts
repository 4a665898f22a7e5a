import type { SnapshotRedirect } from "./snapshot.ts";

/**
 * The share images by page path, from content/share.json. An image that was chosen for a page's
 * former address is also that of its present one, unless another choice was made there; null is a
 * choice, too. Text that isn't an object is returned unchanged.
 */
export function withMovedShareImages<T>(chosen: T, redirects: readonly SnapshotRedirect[]): T {
  if (typeof chosen !== "object" || chosen === null || Array.isArray(chosen)) return chosen;
  const images = new Map<string, unknown>(Object.entries(chosen));
  for (const { from, to } of redirects) {
    const image = images.get(from);
    if (image !== undefined && !images.has(to)) images.set(to, image);
  }
  return Object.fromEntries(images) as T;
}
