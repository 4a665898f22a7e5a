import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { registerSiteManagement, registerSitesAvailability } from "../features/sites/api.ts";
import { makeSiteJobs } from "../features/sites/jobs.ts";
import type { SiteManagement } from "../features/sites/management.ts";
import { makeUsageReader } from "../features/sites/usage.ts";
import type { Clock } from "../kit/clock.ts";
import { makeBoundedSemaphore } from "../kit/concurrency.ts";
import { AppError } from "../kit/errors.ts";
import type { Config, Environment } from "../platform/config.ts";
import type { AppServer } from "../platform/http/server.ts";
import { lockState } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import { type CommandProcesses, makeCommandProcesses } from "./command-process.ts";
import type { Instance } from "./instance.ts";
import { socketArgument } from "./shared-port.ts";
import { makeSitesClient, type SitesClient } from "./sites-client.ts";

/** Time limits for a change, for measuring a page of sites, and for creating or removing one, in ms. */
const timeouts = { change: 60_000, usage: 120_000, job: 15 * 60_000 };
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
  config: Pick<Config, "paths" | "baseUrl">;
  clock: Pick<Clock, "now" | "monotonic">;
  log: Log;
  /** `vitrine`, which opens the registry and other sites, in processes of its own. */
  commands: Pick<CommandProcesses, "run">;
  /** The process that knows the sites. */
  client: Pick<SitesClient, "listSites" | "getSite">;
}

/** What a new site gets as its domain after its name. */
function domainSuffix(baseUrl: string): string | null {
  const { hostname } = new URL(baseUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? `.${hostname}` : null;
}

/** Reads sites from the process that knows them. */
function makeReading({ config, client }: SiteManagementDependencies) {
  const { paths, baseUrl } = config;
  const toView = <T extends { id: string; baseUrl: string }>({ id, ...site }: T) => ({
    ...site,
    name: id,
    address: site.baseUrl,
    isBusy: lockState(join(paths.sites, `.${id}.lock`)) === "held",
  });
  return {
    async list({ page, perPage, ...filter }) {
      const nothing = { items: [], total: 0 };
      // Without further sites, nothing runs that knows any.
      const query = { ...filter, page, perPage };
      const found = existsSync(paths.sites) ? await client.listSites(query) : nothing;
      const items = found.items.map(toView);
      return { items, total: found.total, page, perPage, domainSuffix: domainSuffix(baseUrl) };
    },
    async get(name) {
      const site = toView(existsSync(paths.sites) ? await client.getSite(name) : noSite(name));
      const main = new URL(site.baseUrl).hostname;
      const others = site.domains.filter((domain) => domain !== main);
      return { ...site, domains: [main, ...others] };
    },
  } satisfies Partial<SiteManagement>;
}

function noSite(name: string): never {
  throw new AppError("not_found", `There is no site called “${name}”.`);
}

/** Manages sites with the command line's own commands, so that web opens nothing of other sites. */
export function makeSiteManagement(deps: SiteManagementDependencies): SiteManagement {
  const { clock, log, commands } = deps;
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
  const jobs = makeSiteJobs({
    clock,
    onError: (name, error) => log.error({ err: error, site: name }, "a site's job has failed"),
  });
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
 * Whether the owner of an instance manages further sites: on the installation's own site, on one
 * machine, and behind the front, which serves them.
 */
export function canManageSites(config: Pick<Config, "site" | "storage">, socket: string | null) {
  return config.site === null && config.storage === null && socket !== null;
}

interface SiteRoutesDependencies {
  guard: AdminGuard;
  env: Environment;
  assertPassword(request: FastifyRequest, password: string | undefined): Promise<void>;
}

/** Registers the routes of the page of sites, where there can be further ones. */
export function openSiteManagement(
  app: AppServer,
  { config, clock, log }: Pick<Instance, "config" | "clock" | "log">,
  { guard, env, assertPassword }: SiteRoutesDependencies,
): { close(): void } {
  // Where web listens for the front; the process that knows sites listens next to it.
  const socket = socketArgument(process.argv);
  const isAvailable = canManageSites(config, socket);
  registerSitesAvailability(app, { guard, isAvailable });
  if (!isAvailable || socket === null) return { close() {} };
  const commands = makeCommandProcesses(env);
  const client = makeSitesClient(join(dirname(socket), `sites-${config.port}.sock`));
  const sites = makeSiteManagement({ config, clock, log, commands, client });
  registerSiteManagement(app, { guard, assertPassword, sites });
  return {
    close() {
      // When the page is opened again, it shows what isn't finished.
      commands.kill();
      client.close();
    },
  };
}
