import { join } from "node:path";
import type { Agent } from "../features/agent/agent.ts";
import { makeLiteralEditor } from "../features/agent/literal.ts";
import { makePictures } from "../features/design/pictures.ts";
import { makeBuildChecks } from "../features/qa/build/build-checks.ts";
import { makeLiveReleases } from "../features/release/site/live-release.ts";
import { currentRelease } from "../features/release/swap.ts";
import { pictureOf } from "../features/runs/knowledge/pictures.ts";
import { siteKnowledge } from "../features/runs/knowledge/site-knowledge.ts";
import type { Surroundings } from "../features/runs/surroundings.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";

/** The Editor as chosen now. */
export async function currentEditor({ choice }: Agents): Promise<Agent> {
  const current = await choice.current();
  if (current === null) return makeLiteralEditor();
  // Loaded when a model is asked: without one nobody waits for it.
  const { makeEditor } = await import("../features/agent/model.ts");
  return makeEditor(current);
}

/** What runs get of the rest of the program. */
export function makeSurroundings(
  { config, database, log, workers }: Instance,
  { ledger }: Agents,
  hooks: Pick<Surroundings, "onReady" | "onClosed">,
): Surroundings {
  const { paths, baseUrl } = config;
  const { db } = database;
  const check = makeBuildChecks({ paths, log, baseUrl });
  const releases = makeLiveReleases(paths);
  const pictures = makePictures({ db, mediaRoot: join(paths.content, mediaFolder, "..") });
  return {
    inspect: ({ artifact, signal }) => check({ artifactDir: artifact.dir, signal }),
    siteOf: (question) => siteKnowledge({ db, releases }, question),
    pictureOf: (attachment) => pictureOf({ db, paths, pictures }, attachment),
    ledger,
    workers,
    ...hooks,
    currentRelease: () => currentRelease(paths),
  };
}
