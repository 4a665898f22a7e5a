import type { AgentRecords } from "../../packages/server/src/features/agent/agent.ts";

/** The records of a run on a site without projects. */
export const noRecords: AgentRecords = {
  list: async () => [],
  read: async (slug) => {
    throw new Error(`There is no project ${slug}.`);
  },
  setField: async () => null,
  createDraft: async () => {
    throw new Error("There are no records here.");
  },
  listImages: async () => [],
};
