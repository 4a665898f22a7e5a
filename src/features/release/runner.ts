import { z } from "zod";
import { envelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Rebuilder } from "./rebuild.ts";
import { rebuildState } from "./schema.ts";

const described = { tags: ["console"], security: [{ session: [] }] };

/** Who may call these is checked before any route, by `guardRunner`. */
export function registerRebuild(
  app: AppServer,
  { rebuilder }: { rebuilder: Pick<Rebuilder, "request" | "state"> },
): void {
  app.get(
    "/devconsole/rebuild",
    {
      schema: {
        ...described,
        summary: "How the public site follows the records",
        response: { 200: envelope(rebuildState) },
      },
    },
    async () => ok(await rebuilder.state()),
  );
  app.post(
    "/devconsole/rebuild",
    {
      schema: {
        ...described,
        summary: "Build the site anew from the records as they are",
        body: z.strictObject({}).nullish(),
        response: { 202: envelope(rebuildState) },
      },
    },
    async (_request, reply) => {
      await rebuilder.request("rebuilt by hand");
      return reply.code(202).send(ok(await rebuilder.state()));
    },
  );
}
