import type { Clock } from "../../kit/clock.ts";
import type { AgentContext, AgentRole, OwnerMessage } from "./agent.ts";
import { readConversation, writeConversation } from "./conversation-store.ts";
import type { Entry } from "./conversation.ts";
import { editorBriefing } from "./prompts/briefing.ts";
import { agentInstructions } from "./prompts/agent-instructions.ts";
import { formatOwnerMessage } from "./prompts/owner-message.ts";
import { makeUntrustedDataQuoter, type UntrustedDataQuoter } from "./prompts/untrusted-data.ts";
import { type Jail, openJail } from "./tools/jail.ts";
import { makeReadTracker, type ReadTracker } from "./tools/read-tracker.ts";
import { type BoundTool, makeTools } from "./tools/toolbox.ts";

/** A run's conversation with its tools and state. */
export interface RunConversation {
  instructions: string;
  briefing: string;
  entries: Entry[];
  tools: BoundTool[];
  untrusted: UntrustedDataQuoter;
  jail: Jail;
  reads: ReadTracker;
  /** Changed paths, including those of earlier runs. */
  changed: Set<string>;
  /** What the owner's next message begins with. */
  lead: string;
}

const continuedLead = `Your work continues in a workspace that contains your changes so far. Files may have changed since you read them: the information about the site above is newer than the conversation, so read a file before you change it.
The owner's message:`;
const lostLead = `The conversation of an earlier run couldn't be read and is lost. The workspace may contain changes from that run: look at the files before you change them.
The owner's message:`;

interface ConversationOptions {
  role: AgentRole;
  clock: Pick<Clock, "monotonic">;
  images: boolean;
  /** Aborts tools when the time is up or the run is cancelled. */
  signal(): AbortSignal;
}

/** Starts the conversation of a run, or continues that of an earlier one. */
export async function openConversation(
  context: AgentContext,
  options: ConversationOptions,
): Promise<RunConversation> {
  const { earlier } = context.conversation;
  const found = earlier === null ? null : readConversation(earlier);
  const jail = await openJail(context.root, context.limits.workspace);
  const untrusted = makeUntrustedDataQuoter(found?.boundary);
  const reads = makeReadTracker(found?.readHashes);
  const scope = {
    jail,
    reads,
    workers: context.workers,
    mediaDir: context.mediaDir,
    mayView: (src: string) => context.mayView(src),
    records: context.records,
    get signal() {
      return options.signal();
    },
    checkSite: () => context.checkSite(options.signal()),
  };
  if (earlier !== null && found === null) {
    const text = "(Couldn't read the earlier conversation, so this is a new one.)\n";
    context.emit({ type: "model.text", data: { text } });
  }
  return {
    instructions: agentInstructions(options.role, context.mode),
    briefing: await editorBriefing(jail, context, untrusted, reads),
    entries: found?.entries ?? [],
    tools: makeTools(scope, context, options.clock, options.images),
    untrusted,
    jail,
    reads,
    changed: new Set(found?.changed),
    lead: found !== null ? continuedLead : earlier !== null ? lostLead : "The owner's message:",
  };
}

/** Adds the owner's message to the conversation, after the words of `lead`. */
export async function addUserMessage(
  conversation: RunConversation,
  message: OwnerMessage,
  given: { lead: string; images: boolean; signal: AbortSignal },
): Promise<void> {
  // An owner who continues a run often repeats the message.
  const isRepeated =
    given.lead === continuedLead &&
    conversation.entries.some((entry) => entry.kind === "owner" && entry.userText === message.text);
  const lead = isRepeated
    ? `${given.lead} (the same as before: it is still to be done)`
    : given.lead;
  const rendered = await formatOwnerMessage(lead, message, { ...conversation, ...given });
  conversation.entries.push({ kind: "owner", userText: message.text, ...rendered });
}

/** Stores the conversation so that a run can continue it. */
export async function storeConversation(
  conversation: RunConversation,
  context: AgentContext,
): Promise<void> {
  const { entries, changed, reads, untrusted } = conversation;
  const text = writeConversation(untrusted.boundary, {
    entries,
    changed: [...changed],
    readHashes: reads.all(),
  });
  await context.conversation.save(text);
}
