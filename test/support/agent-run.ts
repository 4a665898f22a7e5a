import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type {
  AgentContext,
  AgentEvent,
  AgentReply,
  AgentSession,
} from "../../packages/server/src/features/agent/agent.ts";
import type { Prices } from "../../packages/server/src/features/agent/budget.ts";
import { openLoop, type LoopOptions } from "../../packages/server/src/features/agent/loop.ts";
import { languageModel } from "../../packages/server/src/features/agent/model.ts";
import {
  defaultTiming,
  type StepTiming,
} from "../../packages/server/src/features/agent/model-step.ts";
import { AppError } from "../../packages/server/src/kit/errors.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { agentContext, messageText } from "./agent-context.ts";
import { type ModelServer, type Protocol, type Script, startModelServer } from "./model-server.ts";
import { tempFolder } from "./temp.ts";

export interface AgentRunSetup {
  protocol?: Protocol;
  context?: Partial<AgentContext>;
  limits?: Partial<AgentContext["limits"]>;
  timing?: Partial<StepTiming>;
  loop?: Partial<LoopOptions>;
  prices?: Prices;
}

/** A workspace, and the agent loop with scripted models over the providers' protocols. */
export interface AgentWorkspace {
  /** The folder of the workspace; everything next to it is outside the jail. */
  readonly outside: string;
  readonly root: string;
  readonly events: AgentEvent[];
  /** The saved conversations, newest last. */
  readonly saved: string[];
  put(path: string, data: string | Uint8Array): Promise<void>;
  read(path: string): Promise<string>;
  /** Starts a model with this script and opens a session on it. */
  open(
    script: Script,
    setup?: AgentRunSetup,
  ): Promise<{ session: AgentSession; server: ModelServer; raw(): string }>;
  /** Does the same and sends one message. */
  run(
    script: Script,
    text: string,
    setup?: AgentRunSetup,
  ): Promise<{ reply: AgentReply; server: ModelServer; raw(): string }>;
  close(): Promise<void>;
}

export const modelKey = "sk-test-canary-key";

/** The AppError that a promise fails with. */
export function failureOf(promise: Promise<unknown>): Promise<AppError> {
  return promise.then(
    () => Promise.reject(new Error("it went through")),
    (error: unknown) => (error instanceof AppError ? error : Promise.reject(error as Error)),
  );
}

export async function agentWorkspace(): Promise<AgentWorkspace> {
  const folder = await tempFolder();
  const root = join(folder.path, "workspace");
  const events: AgentEvent[] = [];
  const saved: string[] = [];
  const servers: ModelServer[] = [];
  await mkdir(root);

  const open: AgentWorkspace["open"] = async (script, setup = {}) => {
    const server = await startModelServer(script);
    servers.push(server);
    const provider = setup.protocol ?? "anthropic";
    const loop = {
      name: `${provider}/scripted-1`,
      model: languageModel({ provider, id: "scripted-1", baseUrl: server.url }, modelKey),
      clock: systemClock,
      timing: { ...defaultTiming, backoffMs: 1, silentMs: 30_000, ...setup.timing },
      prices: setup.prices ?? null,
      ...(provider === "anthropic" ? { maxOutputTokens: 4000 } : {}),
      ...setup.loop,
    };
    const conversation = {
      earlier: null,
      save: async (text: string) => void saved.push(text),
    };
    const context = agentContext(root, events, {
      pageUrl: "/about/",
      conversation,
      ...setup.context,
      limits: { ...defaultLimits.run, workspace: defaultLimits.workspace, ...setup.limits },
    });
    const raw = () => server.requests.map((request) => request.raw).join("\n");
    return { session: openLoop(loop, context), server, raw };
  };

  return {
    outside: folder.path,
    root,
    events,
    saved,
    async put(path, data) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), data);
    },
    read: (path) => readFile(join(root, path), "utf8"),
    open,
    async run(script, text, setup) {
      const opened = await open(script, setup);
      return { ...opened, reply: await opened.session.send(messageText(text)) };
    },
    async close() {
      for (const server of servers) await server.close();
      await folder.remove();
    },
  };
}
