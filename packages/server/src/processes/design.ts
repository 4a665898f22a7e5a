import { dirname, join } from "node:path";
import type { Designer } from "../features/design/designer.ts";
import { makeImageReader } from "../features/design/images.ts";
import { sourcesFor } from "../features/resources/sources.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";

/** The published site's voice; empty if it has none. */
async function readVoice(repository: Repository): Promise<string> {
  const args = ["cat-file", "blob", "main:brand/voice.md"];
  const { exitCode, stdout } = await repository.git(args, { exitCodes: [0, 1, 128] });
  return exitCode === 0 ? stdout : "";
}

/** The Drafter and the Web Designer of an instance, loaded on first use. */
export function openDesign(
  { config, database }: Instance,
  repository: Repository,
  { choice, ledger }: Agents,
): Designer {
  const { db } = database;
  const load = async () => {
    const { makeDesigner } = await import("../features/design/designer.ts");
    return makeDesigner({
      db,
      choice: choice.current,
      ledger,
      images: makeImageReader({
        db,
        mediaRoot: dirname(join(config.paths.content, mediaFolder)),
      }),
      sources: (agent) => sourcesFor(db, agent),
      voice: () => readVoice(repository),
    });
  };
  let loaded: Promise<Designer> | null = null;
  const designer = () => (loaded ??= load());
  return {
    draft: async (body, call) => (await designer()).draft(body, call),
    build: async (body, call) => (await designer()).build(body, call),
  };
}
