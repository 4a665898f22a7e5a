import type { Clock } from "../../kit/clock.ts";
import type { AgentContext, OwnerMessage } from "./agent.ts";
import type { Entry } from "./conversation.ts";
import { readConversation, writeConversation } from "./conversation-store.ts";
import { editorBriefing } from "./prompts/briefing.ts";
import { editorInstructions } from "./prompts/editor.ts";
import { type Fence, makeFence } from "./prompts/fence.ts";
import { ownerWords } from "./prompts/owner-message.ts";
import { type Jail, openJail } from "./tools/jail.ts";
import { makeSeenFiles, type SeenFiles } from "./tools/seen.ts";
import { type BoundTool, makeTools } from "./tools/toolbox.ts";

/** One run's conversation, and what goes with it. */
export interface Talk {
  instructions: string;
  briefing: string;
  entries: Entry[];
  tools: BoundTool[];
  fence: Fence;
  jail: Jail;
  seen: SeenFiles;
  /** Paths that were changed, also by the runs before. */
  changed: Set<string>;
  /** What the next message of the owner's begins with. */
  lead: string;
}

const goingOn = `The work goes on, in a workspace that holds what was done so far. Files may have changed since you read them: what is known of the site above is newer than what was said, and read a file before you change it.
The owner's message:`;
const lost = `The conversation of an earlier run couldn't be read, so it is gone. The workspace may hold changes of that run: look at the files before you change them.
The owner's message:`;

export interface TalkOptions {
  clock: Pick<Clock, "monotonic">;
  images: boolean;
  /** Ends what tools do when the time is up, or the run is cancelled. */
  signal(): AbortSignal;
}

/** Begins the conversation of a run, or takes up that of an earlier one. */
export async function openTalk(context: AgentContext, options: TalkOptions): Promise<Talk> {
  const { earlier } = context.conversation;
  const found = earlier === null ? null : readConversation(earlier);
  const jail = await openJail(context.root, context.limits.workspace);
  const fence = makeFence(found?.boundary);
  const seen = makeSeenFiles(found?.seen);
  const scope = {
    jail,
    seen,
    workers: context.workers,
    mediaDir: context.mediaDir,
    mayView: (src: string) => context.mayView(src),
    get signal() {
      return options.signal();
    },
    checkSite: () => context.checkSite(options.signal()),
  };
  if (earlier !== null && found === null) {
    const text = "(The earlier conversation couldn't be read; this one begins anew.)\n";
    context.emit({ type: "model.text", data: { text } });
  }
  return {
    instructions: editorInstructions(context.mode),
    briefing: await editorBriefing(jail, context, fence, seen),
    entries: found?.entries ?? [],
    tools: makeTools(scope, context, options.clock, options.images),
    fence,
    jail,
    seen,
    changed: new Set(found?.changed),
    lead: found !== null ? goingOn : earlier !== null ? lost : "The owner's message:",
  };
}

/** What the owner says joins the conversation. */
export async function hearOwner(
  talk: Talk,
  message: OwnerMessage,
  given: { lead: string; images: boolean; signal: AbortSignal },
): Promise<void> {
  // Whoever has a run go on often says the same again.
  const again =
    given.lead === goingOn &&
    talk.entries.some((entry) => entry.kind === "owner" && entry.words === message.text);
  const lead = again ? `${given.lead} (the same as before: it is still to be done)` : given.lead;
  const told = await ownerWords(lead, message, { ...talk, ...given });
  talk.entries.push({ kind: "owner", words: message.text, ...told });
}

/** Keeps the conversation, for a run that may go on from here. */
export async function saveTalk(talk: Talk, context: AgentContext): Promise<void> {
  const { entries, changed, seen, fence } = talk;
  const text = writeConversation(fence.boundary, {
    entries,
    changed: [...changed],
    seen: seen.all(),
  });
  await context.conversation.save(text);
}
