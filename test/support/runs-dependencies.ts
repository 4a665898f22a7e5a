import type { RunDependencies } from "../../packages/server/src/features/runs/run-dependencies.ts";
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

/** What the rest of the program gives to runs. */
export type OutsideDependencies = Pick<
  RunDependencies,
  | "inspectBuild"
  | "makeFormAgent"
  | "readSiteContext"
  | "resolveAttachment"
  | "ledger"
  | "workers"
  | "onPreviewReady"
  | "onRunClosed"
  | "readCurrentRelease"
>;

/** Stubs for what runs get from outside: they find, know, count and report nothing. */
export function stubDependencies(given: Partial<OutsideDependencies> = {}): OutsideDependencies {
  const none = { tokens: null, cost: null };
  const nothing = { tokens: 0, cost: null };
  return {
    inspectBuild: async () => cleanReport,
    readSiteContext: async () => ({ record: null, sources: [], routes: [] }),
    makeFormAgent() {
      throw new Error("the test has given no agent for forms");
    },
    resolveAttachment: async (attachment) => ({
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
    onPreviewReady: async () => {},
    onRunClosed: async () => {},
    readCurrentRelease: async () => null,
    ...given,
  };
}
