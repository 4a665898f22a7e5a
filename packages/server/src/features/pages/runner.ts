import type { z } from "zod";
import { envelope, ok } from "../../kit/envelope.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { AppError } from "../../kit/errors.ts";
import { parseInputJson } from "../../kit/json.ts";
import { openJail } from "../agent/tools/jail.ts";
import type { Runs } from "../runs/runs.ts";
import { changePages } from "./change-page.ts";
import { pagesFormName, pagesSubject } from "./pages-agent.ts";
import { pagesBody, type PagesInput, pagesStarted } from "./schema.ts";

export interface PagesRunDependencies {
  runs: Pick<Runs, "startForm">;
  db: Db;
  pages: { limits: Limits["workspace"]; content: string; templateDir: string };
}

function readInput({ changes, deletions }: z.output<typeof pagesBody>): PagesInput {
  const read = changes.map(({ values: text, ...change }) => {
    const values = parseInputJson(text);
    if (typeof values !== "object" || values === null || Array.isArray(values)) {
      throw new AppError("validation_failed", `The values of ${change.file} aren’t an object.`);
    }
    return { ...change, values: values as Record<string, unknown> };
  });
  return { changes: read, deletions };
}

/** Saves changed pages as a run with a preview. */
export function registerPagesRun(app: AppServer, deps: PagesRunDependencies): void {
  app.post(
    "/devconsole/pages",
    {
      schema: {
        tags: ["console"],
        security: [{ session: [] }],
        summary: "Start a run that changes or deletes pages, without a model",
        body: pagesBody,
        response: { 202: envelope(pagesStarted) },
      },
    },
    async ({ body }, reply) => {
      const input = readInput(body);
      const { limits, content, templateDir } = deps.pages;
      const site = await openJail(content, limits);
      const shipped = await openJail(templateDir, limits);
      await changePages({ db: deps.db, site, shipped }, input);
      const form = { name: pagesFormName, input };
      const instruction = pagesSubject(input);
      return reply.code(202).send(ok(await deps.runs.startForm({ instruction, form })));
    },
  );
}
