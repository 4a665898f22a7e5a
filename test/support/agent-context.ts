import type {
  AgentContext,
  AgentEvent,
  OwnerMessage,
} from "../../packages/server/src/features/agent/agent.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { noRecords } from "./no-records.ts";
import { testWorkers } from "./workers.ts";

/** The owner's message, without attachments. */
export function messageText(text: string): OwnerMessage {
  return { text, elements: [], images: [] };
}

/** An agent's dependencies in a test; its events go to `events`. */
export function agentContext(
  root: string,
  events: AgentEvent[],
  given: Partial<AgentContext> = {},
): AgentContext {
  return {
    root,
    pageUrl: null,
    mode: "build",
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
    workers: testWorkers,
    checkSite: async () => ({ ok: true, pages: 1 }),
    limits: { ...defaultLimits.run, workspace: defaultLimits.workspace },
    mediaDir: `${root}/app/public/media`,
    mayView: async () => true,
    site: { record: null, sources: [], routes: [] },
    records: noRecords,
    takeMessages: async () => [],
    conversation: { earlier: null, save: async () => {} },
    spend: async () => {},
    ...given,
  };
}
