import { envelope, ok } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Runs } from "../lifecycle.ts";
import { described } from "../route.ts";
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

interface Doing {
  runs: Runs;
}

const changes = {
  cancel: "Stop a queued or working run",
  discard: "Drop a preview, or close a failed or interrupted run",
} as const;

/** The routes by which runs are begun and changed. */
export function registerDoing(app: AppServer, doing: Doing): void {
  registerBeginnings(app, doing);
  registerMessages(app, doing);
  registerPublish(app, doing);
  const { runs } = doing;
  for (const name of Object.keys(changes) as (keyof typeof changes)[]) {
    app.post(
      `/devconsole/${name}`,
      {
        schema: {
          ...described,
          summary: changes[name],
          body: runIdBody,
          response: { 200: envelope(run) },
        },
      },
      async (request) => ok(await runs[name](request.body.runId)),
    );
  }
}

function registerPublish(app: AppServer, { runs }: Doing): void {
  app.post(
    "/devconsole/publish",
    {
      schema: {
        ...described,
        summary:
          "Publish a ready preview; one with private text of the records is refused (409, private_text) until just that is confirmed",
        body: publishBody,
        response: { 200: envelope(run) },
      },
    },
    async ({ body: { runId, confirmPrivate = null } }) =>
      ok(await runs.publish(runId, { confirmPrivate })),
  );
}

function registerBeginnings(app: AppServer, { runs }: Doing): void {
  const response = { 202: envelope(runStarted) };
  app.post(
    "/devconsole/run",
    { schema: { ...described, summary: "Begin a run", body: startBody, response } },
    async (request, reply) => reply.code(202).send(ok(await runs.start(request.body))),
  );
  app.post(
    "/devconsole/retry",
    {
      schema: {
        ...described,
        summary:
          "Begin a new run with the same instruction, from where the old one stood if it can",
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
        ...described,
        summary: "Have a waiting change carried out anew on the newest version of the site",
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
        ...described,
        summary: "Begin a run that undoes a published one, or goes back to it",
        body: restoreBody,
        response,
      },
    },
    async ({ body }, reply) => reply.code(202).send(ok(await runs.restore(body.runId, body.mode))),
  );
}

function registerMessages(app: AppServer, { runs }: Doing): void {
  app.post(
    "/devconsole/message",
    {
      schema: {
        ...described,
        summary: "Say something to a run that is at work",
        body: messageBody,
        response: { 202: envelope(runMessage) },
      },
    },
    async (request, reply) => reply.code(202).send(ok(await runs.say(request.body))),
  );
  app.post(
    "/devconsole/message/withdraw",
    {
      schema: {
        ...described,
        summary: "Take a message back that no agent has heard",
        body: withdrawBody,
        response: { 200: envelope(withdrawn) },
      },
    },
    async (request) => ok(await runs.withdraw(request.body.messageId)),
  );
}
