/**
 * Distinguishes pages that the console navigated a frame to from those that the user opened in it.
 */
export interface SentPaths {
  /** Call when the frame is navigated to this page. */
  send(path: string): void;
  /** Call when the frame shows this page; whether it was navigated there. */
  arrive(path: string): boolean;
}

/**
 * A page may report its arrival when the frame is already on its way to the next one; that isn't a
 * navigation by the user.
 */
export function makeSentPaths(): SentPaths {
  const awaited = new Set<string>();
  let latest: string | null = null;
  return {
    send(path) {
      if (path === latest) return;
      latest = path;
      awaited.add(path);
    },
    arrive(path) {
      const wasSent = awaited.delete(path);
      // No earlier page reports after the last one.
      if (path === latest) awaited.clear();
      else if (!wasSent) latest = null;
      return wasSent;
    },
  };
}
