/** Tells the pages that a frame was sent to from those that the reader has gone to in it. */
export interface SentPaths {
  /** The frame is sent to this page. */
  send(path: string): void;
  /** The frame shows this page: whether it is there because it was sent there. */
  arrive(path: string): boolean;
}

/**
 * A page may tell that it is there when the frame is on its way to the next one already: it is no page
 * that the reader has gone to for that.
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
      // Nothing of the pages before comes after the last one.
      if (path === latest) awaited.clear();
      else if (!wasSent) latest = null;
      return wasSent;
    },
  };
}
