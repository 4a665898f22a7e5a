import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { begunJob, jobRecord } from "../features/sites/job-records.ts";
import type { SharedJobsDependencies } from "../features/sites/shared-jobs.ts";
import { AppError, type ErrorCode, errorStatus } from "../kit/errors.ts";
import type { SiteEvent } from "./sites-server.ts";

const routeSchema = z.object({
  id: z.string(),
  status: z.enum(["creating", "active", "suspended"]),
  baseUrl: z.string(),
});

/** How requests for a site are answered. */
export type FoundRoute = z.infer<typeof routeSchema>;

const foundSchema = z.object({ site: routeSchema.nullable() });
const wokenSchema = z.object({ socket: z.string() });
const awakeSchema = z.object({ awake: z.array(z.string()) });
const summarySchema = routeSchema.extend({
  movedTo: z.string().nullable(),
  createdAt: z.string(),
  isAwake: z.boolean(),
});
const pageSchema = z.object({
  items: z.array(summarySchema.extend({ domainCount: z.number() })),
  total: z.number(),
});
const siteSchema = summarySchema.extend({ domains: z.array(z.string()) });
const renewedSchema = z.object({ isRunning: z.boolean() });
const jobsSchema = z.object({ jobs: z.array(jobRecord) });
const failureSchema = z.object({
  code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** Questions to the process that knows this installation's further sites. */
export interface SitesClient {
  findRoute(domain: string): Promise<FoundRoute | null>;
  /** The socket of a site's web, which is started before if necessary. Throws what that throws. */
  wake(id: string): Promise<string>;
  listAwake(): Promise<string[]>;
  /** A page of the sites that match, by name. */
  listSites(query: {
    q: string;
    status?: FoundRoute["status"] | undefined;
    page: number;
    perPage: number;
  }): Promise<z.infer<typeof pageSchema>>;
  /** Throws `not_found`. */
  getSite(id: string): Promise<z.infer<typeof siteSchema>>;
  /** The jobs of all nodes. */
  jobs: SharedJobsDependencies["records"];
  /** Calls `onEvent` with everything that happens, and connects again when that ends. */
  follow(onEvent: (event: SiteEvent) => void): void;
  close(): void;
}

/** How long to wait for that process while it starts, and between attempts, in ms. */
const defaultWaitMs = 2000;
const retryMs = 50;
/** The pause before the events are followed again, in ms. */
const followAgainMs = 250;
/** How long an answer may take, in ms: a site has to be started for some. */
const answerMs = 90_000;

const isAway = (error: unknown) =>
  ["ECONNREFUSED", "ENOENT", "EAGAIN"].includes(String((error as NodeJS.ErrnoException).code));

async function readText(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

/** Asks the process that listens on this socket. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeSitesClient(
  socketPath: string,
  { waitMs = defaultWaitMs }: { waitMs?: number } = {},
): SitesClient {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 8, timeout: answerMs });
  let isClosed = false;
  let events: { destroy(): void } | null = null;
  let timer: NodeJS.Timeout | undefined;

  function send(method: "GET" | "POST", path: string): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const call = request({ socketPath, agent, method, path, timeout: answerMs });
    call.once("response", resolve).once("error", reject);
    call.once("timeout", () => call.destroy(new Error("no answer in time")));
    call.end();
    return promise;
  }

  async function ask(method: "GET" | "POST", path: string): Promise<unknown> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      try {
        const response = await send(method, path);
        const body: unknown = JSON.parse(await readText(response));
        if (response.statusCode === 200) return body;
        const { code, message, headers } = failureSchema.parse(body);
        throw new AppError(code, message, { ...(headers && { headers }) });
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (isClosed || !isAway(error) || performance.now() >= deadline) {
          const headers = { "retry-after": "2" };
          const text = "The server is restarting. Try again in a moment.";
          throw new AppError("unavailable", text, { headers, cause: error });
        }
        await delay(retryMs);
      }
    }
  }

  const askJobs = (action: string, input: unknown) =>
    ask(
      "POST",
      `/jobs?${new URLSearchParams({ action, input: JSON.stringify(input) }).toString()}`,
    );

  function follow(onEvent: (event: SiteEvent) => void): void {
    const again = () => {
      events = null;
      clearTimeout(timer);
      if (!isClosed) timer = setTimeout(() => follow(onEvent), followAgainMs);
    };
    const call = request({ socketPath, agent: false, path: "/events" });
    events = call;
    call.once("error", again);
    call.once("response", (response) => {
      response.once("close", again).on("error", () => {});
      if (response.statusCode !== 200) return void response.destroy();
      let rest = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) onEvent(JSON.parse(line) as SiteEvent);
      });
      return undefined;
    });
    call.end();
  }

  return {
    findRoute: async (domain) =>
      foundSchema.parse(await ask("GET", `/route?domain=${encodeURIComponent(domain)}`)).site,
    wake: async (id) =>
      wokenSchema.parse(await ask("POST", `/wake?id=${encodeURIComponent(id)}`)).socket,
    listAwake: async () => awakeSchema.parse(await ask("GET", "/awake")).awake,
    async listSites({ q, status = "", page, perPage }) {
      const query = new URLSearchParams({ q, status, page: `${page}`, perPage: `${perPage}` });
      return pageSchema.parse(await ask("GET", `/sites?${query.toString()}`));
    },
    getSite: async (id) => siteSchema.parse(await ask("GET", `/site?id=${encodeURIComponent(id)}`)),
    jobs: {
      begin: async (job) => begunJob.parse(await askJobs("begin", job)),
      renew: async (token, progress) =>
        renewedSchema.parse(await askJobs("renew", { token, progress })).isRunning,
      end: async (token, result) => void (await askJobs("end", { token, result })),
      interrupt: async () => void (await askJobs("interrupt", null)),
      cancel: async (token) => void (await askJobs("cancel", token)),
      list: async () => jobsSchema.parse(await askJobs("list", null)).jobs,
      dismiss: async (name) => void (await askJobs("dismiss", name)),
    },
    follow,
    close() {
      isClosed = true;
      clearTimeout(timer);
      events?.destroy();
      agent.destroy();
    },
  };
}
