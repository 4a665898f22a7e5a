import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  Agent,
  AgentContext,
  AgentReply,
} from "../../packages/server/src/features/agent/agent.ts";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import {
  BuildFailed,
  type BuildJob,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { type InstancePaths } from "../../packages/server/src/platform/paths.ts";

type AgentTurn = (context: AgentContext, message: string) => Promise<Partial<AgentReply> | void>;

export interface ScriptedAgent extends Agent {
  /** The messages it was sent, in order. */
  messages: string[];
}

/** An agent that follows a script: one function for each message it is sent. */
export function scriptedAgent(...script: AgentTurn[]): ScriptedAgent {
  const messages: string[] = [];
  return {
    name: "Editor",
    model: "scripted",
    currency: null,
    messages,
    open(context) {
      const next = async (message: string) => {
        messages.push(message);
        const turn = script[messages.length - 1];
        if (!turn) throw new Error("the script has ended");
        const tokens = {
          inputTokens: 0,
          outputTokens: 0,
          cachedTokens: 0,
          cost: null,
          currency: null,
        };
        const none = { summary: "Done.", message: "", steps: 1, ...tokens };
        return { ...none, ...(await turn(context, message)) };
      };
      return { send: ({ text }) => next(text), repair: next };
    },
  };
}

/** Writes a page of the test site in a run's workspace. */
export async function writePage(context: AgentContext, page: string, text: string): Promise<void> {
  await writeFile(join(context.root, "app/src/pages", page), text);
}

export interface CopyingBuilder extends SiteBuilder {
  builds: number;
  /** Awaited before each build. */
  before: (job: BuildJob) => Promise<void>;
}

/**
 * A builder for tests that aren't about the build: it copies pages unchanged and adds one for the
 * changelog and one for each project. A page with the word BROKEN doesn't build. Artifacts are
 * stored for real.
 */
export function copyingBuilder(
  paths: InstancePaths,
  bounds = { bytes: 2 ** 20, files: 100 },
): CopyingBuilder {
  const builder: CopyingBuilder = {
    tier: "none",
    reason: null,
    memory: "watched",
    builds: 0,
    before: async () => {},
    async build(job) {
      const number = (builder.builds += 1);
      await builder.before(job);
      job.signal?.throwIfAborted();
      const pages = join(job.sourceDir, "app/src/pages");
      for (const entry of await readdir(pages, { withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const { name } = entry;
        const text = await readFile(join(pages, name), "utf8");
        if (text.includes("BROKEN"))
          throw new BuildFailed([`${name}: BROKEN is not a page`], "log");
        job.onLog?.(`built ${name}`);
      }
      const outDir = join(paths.builders, String(number));
      await mkdir(paths.builders, { recursive: true });
      await cp(pages, outDir, { recursive: true });
      await mkdir(join(outDir, "changelog"));
      const titles = job.snapshot.changelog.map(({ title }) => `<li>${title}</li>`).join("");
      await writeFile(join(outDir, "changelog/index.html"), `<ul>${titles}</ul>`);
      for (const project of job.snapshot.projects) {
        const dir = join(outDir, "projects", project.slug);
        await mkdir(dir, { recursive: true });
        await writeFile(
          join(dir, "index.html"),
          `<pre>${JSON.stringify(project, null, 1)}</pre>\n`,
        );
      }
      const artifact = await storeArtifact({
        outDir,
        mediaDir: job.mediaDir,
        ...(job.withheld && { withheld: job.withheld }),
        artifactsDir: paths.artifacts,
        bounds,
        redirects: { baseUrl: job.snapshot.site.baseUrl, list: job.snapshot.redirects },
      });
      return { ...artifact, reusedCode: false, durationMs: 1 };
    },
    tidy: async () => {},
    prepare: () => {},
    verifiedFiles: () => undefined,
    compileCode: async () => {},
    waitUntilWarm: async () => {},
    close: async () => {},
  };
  return builder;
}

/** Writes the content of a small site. */
export async function writeContent(paths: InstancePaths): Promise<void> {
  const pages = join(paths.content, "app/src/pages");
  await mkdir(pages, { recursive: true });
  await writeFile(join(pages, "index.html"), "<h1>Home</h1>\n");
  await writeFile(join(pages, "about.html"), "<h1>About</h1>\n");
}
