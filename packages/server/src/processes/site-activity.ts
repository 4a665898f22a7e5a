import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { z } from "zod";

/** The argument of a further site's web process, which is stopped when nobody uses it. */
export const onDemandArgument = "--on-demand";

/** How often web reports requests, in ms. */
const reportEveryMs = 2000;

const reportSchema = z.object({ activity: z.object({ open: z.number().int().nonnegative() }) });

/** What web reports while it is used: how many of its requests aren't answered yet. */
export function readActivity(message: unknown): { open: number } | null {
  return reportSchema.safeParse(message).data?.activity ?? null;
}

/** Has web tell whoever has started it on demand that it is used. */
export function reportActivity(server: Server, args: readonly string[] = process.argv): void {
  if (!args.includes(onDemandArgument)) return;
  let open = 0;
  let isUsed = false;
  server.prependListener("request", (_request: IncomingMessage, response: ServerResponse) => {
    open += 1;
    isUsed = true;
    response.once("close", () => {
      open -= 1;
      isUsed = true;
    });
  });
  const timer = setInterval(() => {
    if (!isUsed || !process.connected) return;
    isUsed = false;
    process.send?.({ activity: { open } } satisfies z.infer<typeof reportSchema>);
  }, reportEveryMs);
  timer.unref();
}
