import type { IncomingHttpHeaders } from "node:http";

/** Whether the client shows what it gets to a person, as browsers do when they open an address. */
export function wantsPage({ headers }: { headers: IncomingHttpHeaders }): boolean {
  return headers.accept?.includes("text/html") ?? false;
}
