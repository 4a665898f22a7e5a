import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerSiteManagement, registerSitesAvailability } from "../features/sites/api.ts";
import { makeSiteJobs, type SiteJobs } from "../features/sites/jobs.ts";
import type { SiteManagement } from "../features/sites/management.ts";
import { makeSharedJobs, type SharedJobsDependencies } from "../features/sites/shared-jobs.ts";
import { makeUsageReader } from "../features/sites/usage.ts";
import type { Clock } from "../kit/clock.ts";
import { makeBoundedSemaphore } from "../kit/concurrency.ts";
import { AppError } from "../kit/errors.ts";
import type { Config, Environment } from "../platform/config.ts";
import type { AppServer } from "../platform/http/server.ts";
import { lockState } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import type { Keyring } from "../platform/secrets.ts";
import { type CommandProcesses, makeCommandProcesses } from "./command-process.ts";
import type { Instance } from "./instance.ts";
import { socketArgument } from "./shared-port.ts";
import { makeSitesClient, type SitesClient } from "./sites-client.ts";

/** Time limits for a change, for measuring a page of sites, and for creating or removing one, in ms. */
const timeouts = { change: 60_000, usage: 120_000, job: 15 * 60_000 };
/** How long the process that knows sites may take to start, in ms. */
const startMs = 15_000;
/** Each change is a process: how many run at once, and how many wait. */
const changes = { limit: 2, waiting: 8 };

const createdSchema = z.object({ link: z.string().nullable() });
const usageSchema = z.object({
  sites: z.array(
    z
      .object({
        id: z.string(),
        diskBytes: z.number(),
        diskMiB: z.number().nullable(),
        activeAt: z.string().nullable(),
      })
      .nullable(),
  ),
});

export interface SiteManagementDependencies {
  config: Pick<Config, "paths" | "baseUrl" | "storage">;
  clock: Pick<Clock, "now" | "monotonic">;
  log: Log;
  /** `vitrine`, which opens the registry and other sites, in processes of its own. */
  commands: Pick<CommandProcesses, "run">;
  /** The process that knows the sites. */
  client: Pick<SitesClient, "listSites" | "getSite" | "jobs">;
  /** The installation's keys. */
  keyring: Keyring;
}

/** What a new site gets as its domain after its name. */
function domainSuffix(baseUrl: string): string | null {
  const { hostname } = new URL(baseUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? `.${hostname}` : null;
}

/** Reads sites from the process that knows them. */
function makeReading({ config, client }: SiteManagementDependencies) {
  const { paths, baseUrl } = config;
  const toView = <T extends { id: string; baseUrl: string }>(
    { id, ...site }: T,
    busy: ReadonlySet<string>,
  ) => ({
    ...site,
    name: id,
    address: site.baseUrl,
    isBusy: busy.has(id) || lockState(join(paths.sites, `.${id}.lock`)) === "held",
  });
  /** The sites that jobs work on, which may be those of another node. */
  const listBusy = async () => {
    if (config.storage === null) return new Set<string>();
    const running = (await client.jobs.list()).filter(({ state }) => state === "running");
    return new Set(running.map(({ name }) => name));
  };
  return {
    async list({ page, perPage, ...filter }) {
      const nothing = { items: [], total: 0 };
      // Without further sites, nothing runs that knows any.
      const query = { ...filter, page, perPage };
      const found = existsSync(paths.sites) ? await client.listSites(query) : nothing;
      const busy = found.items.length === 0 ? new Set<string>() : await listBusy();
      const items = found.items.map((site) => toView(site, busy));
      return { items, total: found.total, page, perPage, domainSuffix: domainSuffix(baseUrl) };
    },
    async get(name) {
      const found = existsSync(paths.sites) ? await client.getSite(name) : noSite(name);
      const site = toView(found, await listBusy());
      const main = new URL(site.baseUrl).hostname;
      const others = site.domains.filter((domain) => domain !== main);
      return { ...site, domains: [main, ...others] };
    },
  } satisfies Partial<SiteManagement>;
}

function noSite(name: string): never {
  throw new AppError("not_found", `There is no site called “${name}”.`);
}

/** On several nodes, all know the jobs of each. */
function openJobs({ config, clock, log, client, keyring }: SiteManagementDependencies): SiteJobs {
  const onError = (name: string, error: unknown) =>
    log.error({ err: error, site: name }, "a site's job has failed");
  if (config.storage === null) return makeSiteJobs({ clock, onError });
  const { sites } = config.paths;
  const records: SharedJobsDependencies["records"] = {
    ...client.jobs,
    async begin(job) {
      // With this folder, the process starts that keeps them.
      await mkdir(sites, { recursive: true, mode: 0o700 });
      return client.jobs.begin(job);
    },
    interrupt: async () => (existsSync(sites) ? client.jobs.interrupt() : undefined),
    list: async () => (existsSync(sites) ? client.jobs.list() : []),
  };
  return makeSharedJobs({ records, keyring, onError });
}

/** Manages sites with the command line's own commands, so that web opens nothing of other sites. */
export function makeSiteManagement(deps: SiteManagementDependencies): SiteManagement {
  const { clock, commands } = deps;
  const turns = makeBoundedSemaphore({
    ...changes,
    full: () =>
      new AppError("unavailable", "Other changes of sites are running. Try again in a moment.", {
        headers: { "retry-after": "5" },
      }),
  });
  const change = (...args: string[]) =>
    turns.run(async () => {
      await commands.run(["site", ...args], { timeoutMs: timeouts.change });
    });
  const usage = makeUsageReader({
    clock,
    async measure(names) {
      const args = ["site", "usage", ...names];
      const answer = await commands.run(args, { timeoutMs: timeouts.usage });
      return usageSchema.parse(answer).sites;
    },
  });
  const jobs = openJobs(deps);
  const runJob = (args: string[], onProgress: (line: string) => void) =>
    commands.run(["site", "--progress", ...args], { timeoutMs: timeouts.job, onProgress });
  return {
    ...makeReading(deps),
    usage,
    jobs,
    create: ({ name, owner, domain, timeZone, diskMiB }) =>
      jobs.start({ name, kind: "create" }, async (onProgress) => {
        // Joined to their options, values can't be taken for others.
        const args = ["create", name, `--owner=${owner}`];
        if (domain !== undefined) args.push(`--domain=${domain}`);
        if (timeZone !== undefined) args.push(`--time-zone=${timeZone}`);
        if (diskMiB !== null) args.push(`--disk-mib=${diskMiB}`);
        return createdSchema.parse(await runJob(args, onProgress));
      }),
    remove: (name) =>
      jobs.start({ name, kind: "remove" }, async (onProgress) => {
        await runJob(["remove", name, "--yes"], onProgress);
        usage.forget(name);
        return { link: null };
      }),
    suspend: (name) => change("suspend", name),
    resume: (name) => change("resume", name),
    addDomain: (name, domain) => change("domain", "add", name, domain),
    setMainDomain: (name, domain) => change("domain", "add", "--main", name, domain),
    removeDomain: (name, domain) => change("domain", "remove", name, domain),
    async setDiskLimit(name, diskMiB) {
      await change("limit", name, `--disk-mib=${diskMiB ?? "none"}`);
      usage.forget(name);
    },
  };
}

/**
 * Whether the owner of an instance manages further sites: on the installation's own site, and behind the
 * front, which serves them.
 */
export function canManageSites(config: Pick<Config, "site">, socket: string | null) {
  return config.site === null && socket !== null;
}

interface SiteRoutesDependencies {
  guard: AdminGuard;
  env: Environment;
  assertPassword(request: FastifyRequest, password: string | undefined): Promise<void>;
}

/** Registers the routes of the page of sites, where there can be further ones. */
export function openSiteManagement(
  app: AppServer,
  { config, clock, log, keys }: Pick<Instance, "config" | "clock" | "log" | "keys">,
  { guard, env, assertPassword }: SiteRoutesDependencies,
): { close(): void } {
  // Where web listens for the front; the process that knows sites listens next to it.
  const socket = socketArgument(process.argv);
  const isAvailable = canManageSites(config, socket);
  registerSitesAvailability(app, { guard, isAvailable });
  if (!isAvailable || socket === null) return { close() {} };
  const commands = makeCommandProcesses(env);
  // It may have to start first.
  const waitMs = config.storage === null ? undefined : startMs;
  const file = join(dirname(socket), `sites-${config.port}.sock`);
  const client = makeSitesClient(file, waitMs === undefined ? {} : { waitMs });
  const keyring = keys.settings;
  const sites = makeSiteManagement({ config, clock, log, commands, client, keyring });
  registerSiteManagement(app, { guard, assertPassword, sites });
  return {
    close() {
      // When the page is opened again, it shows what isn't finished.
      commands.kill();
      client.close();
    },
  };
}
