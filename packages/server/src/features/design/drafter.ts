import { makeUntrustedDataQuoter } from "../agent/prompts/untrusted-data.ts";
import { makeAsker } from "./ask-model.ts";
import { flagsOf, readKnown } from "./facts/flags.ts";
import { withoutOwnLinks } from "./links.ts";
import type { Given } from "./outline.ts";
import { outlineTexts } from "./outline-texts.ts";
import { briefing, drafterInstructions } from "./prompts.ts";
import { draftForm } from "./record-form.ts";
import type { Draft, DraftBody } from "./schema.ts";
import { type Call, type DesignOptions, presentRecord, saidOf, withinTime } from "./work.ts";

export interface Drafter {
  /**
   * Summary, lede and body from a brief; without a model, or when asked for, an outline.
   * Throws AppError: `not_found` (the project), `throttled` (a ceiling), `upstream_failed`.
   */
  draft(body: DraftBody, call: Pick<Call, "signal">): Promise<Draft>;
}

function outlined(given: Given): Draft {
  const texts = outlineTexts(given.brief);
  const { present } = given;
  return {
    summary: texts.summary || (present?.summary ?? ""),
    lede: texts.lede || (present?.lede ?? ""),
    body: texts.body || (present?.body ?? ""),
    outline: true,
    flags: [],
  };
}

/** The Drafter of this instance. */
export function makeDrafter(options: DesignOptions): Drafter {
  return {
    async draft(body, { signal }) {
      const present = await presentRecord(options.db, body.projectId);
      const { name, brief, kind } = body;
      const given: Given = { name, brief, kind, pictures: [], present };
      const choice = body.outline ? null : await options.choice();
      if (choice === null) return outlined(given);
      await options.ledger.assertOpen();
      const fence = makeUntrustedDataQuoter();
      const [voice, sources] = await Promise.all([options.voice(), options.sources("drafter")]);
      const asker = makeAsker({ ...options, choice, purpose: "draft" });
      const answer = await withinTime(options, signal, (within) =>
        asker.ask({
          instructions: drafterInstructions(fence),
          content: [{ type: "text", text: briefing(given, { voice, sources }, fence) }],
          form: draftForm,
          signal: within,
        }),
      );
      const said = saidOf(given);
      const known = readKnown(said);
      const text = withoutOwnLinks(answer.body, said.join("\n")).text;
      const draft = { ...answer, body: text };
      const flags = (["summary", "lede", "body"] as const).flatMap((path) =>
        flagsOf(path, draft[path], known),
      );
      return { ...draft, outline: false, flags };
    },
  };
}
