import type { Client } from "../../api/client.ts";
import type { InlineAnswer, InlineEdit, InlineTarget } from "../../api/types.ts";

/** Requests of inline edits to the runner. Each rejects with an ApiError. */
export interface InlineApi {
  /** Where something is edited, or why it can't be edited on the page. */
  locate(target: InlineTarget): Promise<InlineAnswer>;
  /** Starts the run that makes these edits; returns its ID. */
  build(edits: readonly InlineEdit[]): Promise<string>;
}

export function makeInlineApi({ post }: Client): InlineApi {
  return {
    locate: (target) => post("/devconsole/edits/locate", target),
    build: async (edits) => (await post<{ runId: string }>("/devconsole/edits", { edits })).runId,
  };
}
