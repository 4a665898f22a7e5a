import { envelope, ok } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Runs } from "../runs.ts";
import {
  messageBody,
  publishBody,
  restoreBody,
  retryBody,
  run,
  runIdBody,
  runMessage,
  runStarted,
  startBody,
  withdrawBody,
  withdrawn,
} from "../schema.ts";
import { consoleRoute } from "./route-schema.ts";

interface RunCommandDependencies {
  runs: Runs;
}

const endings = {
  cancel: "Stop a queued or working run",
  discard: "Discard a preview, or close a failed or interrupted run",
} as const;

/** The routes that start and change runs. */
export function registerRunCommands(app: AppServer, deps: RunCommandDependencies): void {
  registerStarts(app, deps);
  registerMessages(app, deps);
  registerPublish(app, deps);
  const { runs } = deps;
  for (const name of Object.keys(endings) as (keyof typeof endings)[]) {
    app.post(
      `/devconsole/${name}`,
      {
        schema: {
          ...consoleRoute,
          summary: endings[name],
          body: runIdBody,
          response: { 200: envelope(run) },
        },
      },
      async (request) => ok(await runs[name](request.body.runId)),
    );
  }
}

function registerPublish(app: AppServer, { runs }: RunCommandDependencies): void {
  app.post(
    "/devconsole/publish",
    {
      schema: {
        ...consoleRoute,
        summary:
          "Publish a ready preview; 409 `private_text` if it shows private text, until you confirm exactly that text",
        body: publishBody,
        response: { 200: envelope(run) },
      },
    },
    async ({ body: { runId, confirmPrivate = null, mentionInChangelog = null } }) =>
      ok(await runs.publish(runId, { confirmPrivate, mentionInChangelog })),
  );
}

function registerStarts(app: AppServer, { runs }: RunCommandDependencies): void {
  const response = { 202: envelope(runStarted) };
  app.post(
    "/devconsole/run",
    { schema: { ...consoleRoute, summary: "Start a run", body: startBody, response } },
    async (request, reply) => reply.code(202).send(ok(await runs.start(request.body))),
  );
  app.post(
    "/devconsole/retry",
    {
      schema: {
        ...consoleRoute,
        summary:
          "Start a new run with the same instruction, resuming where the old one stopped if possible",
        body: retryBody,
        response,
      },
    },
    async ({ body }, reply) => reply.code(202).send(ok(await runs.retry(body.runId, body.fresh))),
  );
  app.post(
    "/devconsole/reapply",
    {
      schema: {
        ...consoleRoute,
        summary: "Apply a change that waits for review again, to the latest version of the site",
        body: runIdBody,
        response,
      },
    },
    async ({ body }, reply) => reply.code(202).send(ok(await runs.reapply(body.runId))),
  );
  app.post(
    "/devconsole/restore",
    {
      schema: {
        ...consoleRoute,
        summary: "Start a run that undoes a published run or restores it",
        body: restoreBody,
        response,
      },
    },
    async ({ body }, reply) => reply.code(202).send(ok(await runs.restore(body.runId, body.mode))),
  );
}

function registerMessages(app: AppServer, { runs }: RunCommandDependencies): void {
  app.post(
    "/devconsole/message",
    {
      schema: {
        ...consoleRoute,
        summary: "Send a message to a working run",
        body: messageBody,
        response: { 202: envelope(runMessage) },
      },
    },
    async (request, reply) => reply.code(202).send(ok(await runs.sendMessage(request.body))),
  );
  app.post(
    "/devconsole/message/withdraw",
    {
      schema: {
        ...consoleRoute,
        summary: "Withdraw a message that no agent has read yet",
        body: withdrawBody,
        response: { 200: envelope(withdrawn) },
      },
    },
    async (request) => ok(await runs.withdrawMessage(request.body.messageId)),
  );
}
