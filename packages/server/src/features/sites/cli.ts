import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Site } from "./registry.ts";
import type { SiteUsage } from "./usage.ts";

export interface NewSite {
  id: string;
  /** By default, the name below the installation's own domain. */
  domain: string | undefined;
  ownerName: string | undefined;
  timeZone: string | undefined;
  diskMiB: number | undefined;
}

/** A site as the command line shows it. */
export interface ShownSite extends Site {
  /** Whether it has processes; null if the installation isn't running. */
  isAwake: boolean | null;
  /** Whether all nodes can have it; null if the installation is on one disk. */
  isShared: boolean | null;
}

/** What the commands do with the further sites of an installation. */
export interface SiteOperations {
  /** `link`: a sign-in link, shown this once. */
  create(site: NewSite): Promise<{ site: Site; link: string | null }>;
  list(): Promise<ShownSite[]>;
  show(id: string): Promise<ShownSite & { diskBytes: number; diskMiB: number | null }>;
  suspend(id: string): Promise<Site>;
  resume(id: string): Promise<Site>;
  addDomain(id: string, domain: string): Promise<Site>;
  /** Makes it the address that the site's pages name, and builds them again. */
  setMainDomain(id: string, domain: string): Promise<Site>;
  removeDomain(id: string, domain: string): Promise<Site>;
  /** Null: no limit. */
  setDiskLimit(id: string, diskMiB: number | null): Promise<{ id: string; diskMiB: number | null }>;
  /** What several sites use, in their order; null for those that can't be measured. */
  usage(ids: readonly string[]): Promise<(SiteUsage | null)[]>;
  exportTo(id: string, file: string, options: { force: boolean }): Promise<object>;
  importFrom(file: string, given: { id: string; domain: string | undefined }): Promise<Site>;
  /** Moves a site to another installation on this machine; the old one is suspended. */
  move(id: string, dir: string): Promise<{ site: Site; from: Site }>;
  remove(id: string): Promise<void>;
}

export interface SiteCommandDependencies {
  /** Calls `work` with the operations on the installation's sites. Each line of progress gets the prefix. */
  withSites<T>(
    work: (sites: SiteOperations) => Promise<T>,
    options?: { progressPrefix: string },
  ): Promise<T>;
}

function parseMiB(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  const message = "must be a whole number of MiB";
  throw new AppError("validation_failed", `The disk limit ${message}.`, {
    fields: { diskMiB: message },
  });
}

function registerDomains(
  parent: Command,
  { print }: CliContext,
  { withSites }: SiteCommandDependencies,
): void {
  const domain = parent.command("domain").description("add, remove, and list domains of a site");
  domain
    .command("add")
    .argument("<site>")
    .argument("<domain>")
    .description("have a domain lead to a site's main domain")
    .option("--main", "make it the main domain, which the site's pages name")
    .action(async (id: string, name: string, { main }: { main?: true }) =>
      print(
        await withSites((sites) =>
          main ? sites.setMainDomain(id, name) : sites.addDomain(id, name),
        ),
      ),
    );
  domain
    .command("remove")
    .argument("<site>")
    .argument("<domain>")
    .description("take a domain away from a site")
    .action(async (id: string, name: string) =>
      print(await withSites((sites) => sites.removeDomain(id, name))),
    );
  domain
    .command("list")
    .argument("<site>")
    .description("list the domains of a site")
    .action(async (id: string) => {
      const { domains, baseUrl } = await withSites((sites) => sites.show(id));
      print({ domains, main: new URL(baseUrl).hostname });
    });
}

function registerFiles(
  parent: Command,
  { print }: CliContext,
  { withSites }: SiteCommandDependencies,
): void {
  parent
    .command("export")
    .argument("<site>")
    .argument("<file>", "a new file, or a folder")
    .description("back up a site to one file, even while it is used")
    .option("--force", "overwrite an existing file")
    .action(async (id: string, file: string, { force }: { force?: true }) =>
      print(await withSites((sites) => sites.exportTo(id, file, { force: force === true }))),
    );
  parent
    .command("import")
    .argument("<site>", "the name of the new site")
    .argument("<file>", "a file made by `vitrine site export` or `vitrine backup`")
    .description("create a site from a backup")
    .option("--domain <domain>", "its main domain; by default, that of the backup")
    .action(async (id: string, file: string, { domain }: { domain?: string }) =>
      print(await withSites((sites) => sites.importFrom(file, { id, domain }))),
    );
  parent
    .command("move")
    .argument("<site>")
    .argument("<installation>", "the folder of another installation on this machine")
    .description(
      "move a site to another installation; it stays here, suspended, until you remove it",
    )
    .action(async (id: string, dir: string) =>
      print(await withSites((sites) => sites.move(id, dir))),
    );
}

function registerStates(
  parent: Command,
  { print }: CliContext,
  { withSites }: SiteCommandDependencies,
): void {
  parent
    .command("suspend")
    .argument("<site>")
    .description("stop serving a site; nothing is deleted")
    .action(async (id: string) => print(await withSites((sites) => sites.suspend(id))));
  parent
    .command("resume")
    .argument("<site>")
    .description("serve a suspended site again")
    .action(async (id: string) => print(await withSites((sites) => sites.resume(id))));
  parent
    .command("limit")
    .argument("<site>")
    .description("limit how much disk space a site may use")
    .requiredOption("--disk-mib <number>", "in MiB; `none` for no limit")
    .action(async (id: string, { diskMib }: { diskMib: string }) => {
      const limit = diskMib === "none" ? null : (parseMiB(diskMib) ?? null);
      print(await withSites((sites) => sites.setDiskLimit(id, limit)));
    });
  parent
    .command("remove")
    .argument("<site>")
    .description("delete a site with everything in it")
    .option("--yes", "confirm that it is to be deleted")
    .action(async (id: string, { yes }: { yes?: true }) => {
      if (!yes) {
        const message = `This deletes the site “${id}” for good. Export it first, then repeat this with --yes.`;
        throw new AppError("bad_request", message);
      }
      await withSites((sites) => sites.remove(id));
      print({ removed: id });
    });
}

/** Registers `site`, the commands for further sites of an installation. */
export function registerSiteCommands(
  program: Command,
  context: CliContext,
  deps: SiteCommandDependencies,
): void {
  const { print } = context;
  const site = program
    .command("site")
    .description("manage the further sites of this installation")
    .option("--progress", "print progress to stderr, line by line, for a program that reads it");
  const withSites: SiteCommandDependencies["withSites"] = (work) => {
    const progressPrefix = site.opts<{ progress?: true }>().progress ? "progress: " : "";
    return deps.withSites(work, { progressPrefix });
  };
  site
    .command("create")
    .argument("<name>", "lowercase letters, digits, and hyphens")
    .description("create a site and show a sign-in link")
    .option("--domain <domain>", "its main domain; by default, its name below the own domain")
    .option("--owner <name>", "the name of the site's owner")
    .option("--time-zone <zone>", "the owner's time zone, such as Europe/Stockholm")
    .option("--disk-mib <number>", "how much disk space the site may use")
    .action(
      async (
        id: string,
        given: { domain?: string; owner?: string; timeZone?: string; diskMib?: string },
      ) => {
        const { domain, owner: ownerName, timeZone } = given;
        const wanted = { id, domain, ownerName, timeZone, diskMiB: parseMiB(given.diskMib) };
        const created = await withSites((sites) => sites.create(wanted));
        print({ ...created.site, link: created.link });
      },
    );
  site
    .command("list")
    .description("list the sites with their states and domains")
    .action(async () => print({ sites: await withSites((sites) => sites.list()) }));
  site
    .command("show")
    .argument("<site>")
    .description("show a site and how much disk space it uses")
    .action(async (id: string) => print(await withSites((sites) => sites.show(id))));
  site
    .command("usage")
    .argument("<sites...>")
    .description("show how much disk space sites use, and when they last had processes")
    .action(async (ids: string[]) =>
      print({ sites: await withSites((sites) => sites.usage(ids)) }),
    );
  registerStates(site, context, { withSites });
  registerDomains(site, context, { withSites });
  registerFiles(site, context, { withSites });
}
