import { makeUntrustedDataQuoter } from "../agent/prompts/untrusted-data.ts";
import { makeModelClient } from "./ask-model.ts";
import { flagsOf, readKnownFacts } from "./facts/flags.ts";
import { removeOwnLinks } from "./links.ts";
import type { DesignInput } from "./outline.ts";
import { outlineTexts } from "./outline-texts.ts";
import { briefing, drafterInstructions } from "./prompts.ts";
import { draftForm } from "./record-form.ts";
import type { Draft, DraftBody } from "./schema.ts";
import {
  type DesignCall,
  type DesignDependencies,
  presentRecord,
  ownerTexts,
  withTimeout,
} from "./work.ts";

export interface Drafter {
  /**
   * Summary, lede, and body from a brief; an outline without a model or on request. Throws
   * AppError: `not_found` (the project), `throttled` (a limit), `upstream_failed`.
   */
  draft(body: DraftBody, call: Pick<DesignCall, "signal">): Promise<Draft>;
}

function outlined(input: DesignInput): Draft {
  const texts = outlineTexts(input.brief);
  const { present } = input;
  return {
    summary: texts.summary || (present?.summary ?? ""),
    lede: texts.lede || (present?.lede ?? ""),
    body: texts.body || (present?.body ?? ""),
    outline: true,
    flags: [],
  };
}

/** The Drafter of this instance. */
export function makeDrafter(deps: DesignDependencies): Drafter {
  return {
    async draft(body, { signal }) {
      const present = await presentRecord(deps.db, body.projectId);
      const { name, brief, kind } = body;
      const input: DesignInput = { name, brief, kind, images: [], present };
      const choice = body.outline ? null : await deps.choice();
      if (choice === null) return outlined(input);
      await deps.ledger.assertOpen();
      const quoter = makeUntrustedDataQuoter();
      const [voice, sources] = await Promise.all([deps.voice(), deps.sources("drafter")]);
      const model = makeModelClient({ ...deps, choice, purpose: "draft" });
      const answer = await withTimeout(deps, signal, (within) =>
        model.ask({
          instructions: drafterInstructions(quoter),
          content: [{ type: "text", text: briefing(input, { voice, sources }, quoter) }],
          form: draftForm,
          signal: within,
        }),
      );
      const ownerInput = ownerTexts(input);
      const knownFacts = readKnownFacts(ownerInput);
      const text = removeOwnLinks(answer.body, ownerInput.join("\n")).text;
      const draft = { ...answer, body: text };
      const flags = (["summary", "lede", "body"] as const).flatMap((path) =>
        flagsOf(path, draft[path], knownFacts),
      );
      return { ...draft, outline: false, flags };
    },
  };
}
