import { AppError } from "../../kit/errors.ts";
import { envelope, ok } from "../../kit/envelope.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Runs } from "../runs/runs.ts";
import { setupBody, setupStarted, siteNameBody } from "./schema.ts";
import { readContentFiles } from "./content-files.ts";
import { readSetupInput } from "./setup.ts";
import { setupForm } from "./setup-agent.ts";
import { siteName } from "./site-name.ts";
import { siteNameForm, siteNameInstruction } from "./site-name-agent.ts";

export interface SetupRunDependencies {
  db: Db;
  runs: Pick<Runs, "startForm">;
  /** The path of the content repository. */
  paths: { content: string };
}

/** Applies the setup as a run with a preview that waits for publishing. */
export function registerSetupRun(app: AppServer, deps: SetupRunDependencies): void {
  app.post(
    "/devconsole/setup",
    {
      schema: {
        tags: ["console"],
        security: [{ session: [] }],
        summary: "Start the run that applies the setup's answers, without a model",
        body: setupBody,
        response: { 202: envelope(setupStarted) },
      },
    },
    async (_request, reply) => {
      const input = await readSetupInput(deps.db);
      const instruction =
        input.name === undefined ? "Remove the sample person" : `Set up the site for ${input.name}`;
      const form = { name: setupForm, input };
      return reply.code(202).send(ok(await deps.runs.startForm({ instruction, form })));
    },
  );
  app.post(
    "/devconsole/site-name",
    {
      schema: {
        tags: ["console"],
        security: [{ session: [] }],
        summary: "Start a run that changes the name on the site's pages, without a model",
        body: siteNameBody,
        response: { 202: envelope(setupStarted) },
      },
    },
    async ({ body: { name } }, reply) => {
      const former = siteName(await readContentFiles(deps.paths.content));
      if (former === null || former === name) {
        throw new AppError("invalid_state", `The site already says ${name}.`);
      }
      const input = { former, name };
      const form = { name: siteNameForm, input };
      const instruction = siteNameInstruction(input);
      return reply.code(202).send(ok(await deps.runs.startForm({ instruction, form })));
    },
  );
}
