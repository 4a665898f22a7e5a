import type { Surroundings } from "../../src/features/runs/surroundings.ts";
import { testWorkers } from "./workers.ts";

/** A report of the checks with nothing in it. */
export const cleanReport = {
  pages: 1,
  findings: [],
  added: { error: 0, warning: 0, notice: 0 },
  fixed: 0,
  brokenLinks: 0,
  bytes: { before: 0, after: 0 },
  blank: [],
};

/** The plainest surroundings of runs: nothing is found, known, counted or told. */
export function plainSurroundings(given: Partial<Surroundings> = {}): Surroundings {
  const none = { tokens: null, cost: null };
  const nothing = { tokens: 0, cost: null };
  return {
    inspect: async () => cleanReport,
    siteOf: async () => ({ record: null, sources: [], routes: [] }),
    pictureOf: async (attachment) => ({
      use: attachment.use,
      src: attachment.use === "page" ? `/media/${attachment.mediaId}.webp` : null,
      name: attachment.use === "page" ? String(attachment.mediaId) : attachment.referenceId,
      alt: "",
      width: 1,
      height: 1,
      mediaType: "image/webp",
      bytes: async () => new Uint8Array(),
    }),
    ledger: {
      book: async () => {},
      assertOpen: async () => {},
      ceilings: async () => ({ run: none, day: none, month: none }),
      spent: async () => ({ day: nothing, month: nothing }),
    },
    workers: testWorkers,
    onReady: async () => {},
    onClosed: async () => {},
    currentRelease: async () => null,
    ...given,
  };
}
