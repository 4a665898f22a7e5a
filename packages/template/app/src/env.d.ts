declare module "@snapshot" {
  import type { Snapshot } from "./lib/snapshot.ts";
  const snapshot: Snapshot;
  export default snapshot;
}

declare module "*.woff2?url" {
  const address: string;
  export default address;
}

declare module "*?inline" {
  const address: string;
  export default address;
}

declare module "*?raw" {
  const text: string;
  export default text;
}

/**
 * For share images: a folder with those that are published (null: there are none), the folder of the
 * finished site, and how many new ones to draw at most. What `keep` is asked for, by its path in the
 * finished site, is the published file and isn't copied; false: it has to be copied.
 */
declare const SHARE_PICTURES: {
  published: string | null;
  out: string;
  most: number;
  keep?: (path: string) => boolean;
};

/**
 * For the résumé's file: the one that is live (null, or a path where there may be none), and what
 * stands for the code that draws it.
 */
declare const RESUME_FILE: { published: string | null; code: string } | undefined;
