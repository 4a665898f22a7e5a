/** What owners and visitors of any site of an installation do, over HTTP at one of its nodes. */
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { ProjectSummary } from "../../packages/server/src/features/projects/schema.ts";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { until } from "../../test/faults/wait.ts";

/** A site as it is reached at one node. */
export interface SiteAddress {
  /** The port of the node. */
  port: number;
  /** What browsers send as the site's host. */
  host: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface AskOptions {
  method?: string;
  /** Sent as JSON, a form as a form. */
  body?: object | FormData;
  cookie?: string;
}

/** Nothing that an owner waits for takes this long, even on a busy machine, in ms. */
const maxWaitMs = 180_000;
const agent = new Agent({ keepAlive: true });

/** The bytes of a body and their type. */
async function encode(body: object | FormData): Promise<[Buffer, string]> {
  if (!(body instanceof FormData)) return [Buffer.from(JSON.stringify(body)), "application/json"];
  const form = new Response(body);
  const type = form.headers.get("content-type") ?? "";
  return [Buffer.from(await form.arrayBuffer()), type];
}

/** Asks once, and again if the connection was closed before: nobody has seen the request then. */
export async function ask(
  address: SiteAddress,
  path: string,
  options: AskOptions = {},
): Promise<Answer> {
  const { method = "GET", body, cookie } = options;
  const [bytes, type] = body === undefined ? [] : await encode(body);
  const headers = {
    host: address.host,
    ...(cookie !== undefined && { cookie }),
    ...(type !== undefined && { "content-type": type }),
  };
  const call = request({ host: "127.0.0.1", port: address.port, path, method, agent, headers });
  call.end(bytes);
  try {
    const [response] = (await once(call, "response")) as [IncomingMessage];
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await text(response),
    };
  } catch (error) {
    if (call.reusedSocket) return ask(address, path, options);
    throw error;
  }
}

/** Waits until a page has this text; resolves with the time, by `performance.now`. */
export async function waitForText(
  address: SiteAddress,
  path: string,
  wanted: string,
  everyMs = 4,
): Promise<number> {
  const shows = async () => (await ask(address, path)).body.includes(wanted);
  await until(`“${wanted}” at ${address.host}${path}`, shows, { timeoutMs: maxWaitMs, everyMs });
  return performance.now();
}

/** The signed-in owner of a site. */
export interface Owner {
  cookie: string;
  /** Gives what the envelope carries; throws if it is an error. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
}

/** Signs in by a secret link. */
export async function signIn(address: SiteAddress, link: string): Promise<Owner> {
  const { headers } = await ask(address, new URL(link).pathname);
  return ownerWith(address, headers["set-cookie"]?.[0]?.split(";")[0] ?? "");
}

/** The owner whose session has this cookie. */
export function ownerWith(address: SiteAddress, cookie: string): Owner {
  const data = async (path: string, options: AskOptions) => {
    const { body, status } = await ask(address, path, { ...options, cookie });
    const envelope = JSON.parse(body) as { ok: boolean; data: unknown };
    if (!envelope.ok) throw new Error(`${path} answered ${status}: ${body}`);
    return envelope.data as never;
  };
  return {
    cookie,
    get: (path) => data(path, {}),
    post: (path, body) => data(path, { method: "POST", body }),
  };
}

/** Starts a run on the home page and waits for its preview. Returns the run's ID. */
export async function makePreview(owner: Owner, instruction: string): Promise<string> {
  const body = { instruction, pageUrl: "/" };
  const { runId } = await owner.post<{ runId: string }>("/devconsole/run", body);
  const ended = async () => {
    const run = await owner.get<Run>(`/devconsole/runs/${runId}`);
    return ["queued", "running", "building"].includes(run.status) ? null : run;
  };
  const run = await until("the preview", ended, { timeoutMs: maxWaitMs, everyMs: 50 });
  if (run.status !== "preview_ready") throw new Error(`The run is ${run.status}: ${run.error}`);
  return runId;
}

/** The first published project of a site, as it is now. */
export async function firstProject(owner: Owner) {
  const { items } = await owner.get<{ items: ProjectSummary[] }>("/api/adminprojects/list");
  const project = items.find(({ status }) => status === "published");
  if (project === undefined) throw new Error("The site has no published project.");
  return project;
}

/** The path of a project's page. */
export const pageOf = ({ slug }: { slug: string }) => `/projects/${slug}/`;

/** Changes the summary of a project that nobody has changed since it was read. */
export async function saveSummary(
  owner: Owner,
  { id, version }: { id: number; version: number },
  summary: string,
): Promise<void> {
  await owner.post("/api/adminprojects/save", { id, version, summary });
}
