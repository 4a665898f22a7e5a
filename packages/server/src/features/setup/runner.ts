import { envelope, ok } from "../../kit/envelope.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Runs } from "../runs/runs.ts";
import { setupBody, setupStarted } from "./schema.ts";
import { readSetupInput } from "./setup.ts";
import { setupForm } from "./setup-agent.ts";

export interface SetupRunDependencies {
  db: Db;
  runs: Pick<Runs, "startForm">;
}

/** Carries the set-up out: a run like any other, with a preview that waits to be published. */
export function registerSetupRun(app: AppServer, deps: SetupRunDependencies): void {
  app.post(
    "/devconsole/setup",
    {
      schema: {
        tags: ["console"],
        security: [{ session: [] }],
        summary: "Start the run that applies the set-up's answers, without a model",
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
}
