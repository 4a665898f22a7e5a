import { z } from "zod";
import { pageQuery } from "../../kit/envelope.ts";
import { line, verbatim } from "../../kit/fields.ts";
import { siteIdPattern } from "../../kit/site-id.ts";
import { isTimeZone } from "../../kit/time.ts";

const siteName = line(80).refine(
  (name) => siteIdPattern.test(name),
  "must be 1 to 40 lowercase letters, digits, and single hyphens, and begin with a letter",
);
const maxDiskMiB = 1024 * 1024 * 1024;
const diskMiB = z
  .number("must be a whole number of MiB")
  .int("must be a whole number of MiB")
  .min(1, "must be at least 1 MiB")
  .max(maxDiskMiB, "is more than any disk has");
/** A domain with its dots, or an attempt at one, which `normalizeDomain` judges. */
const domain = line(300, { min: 1, empty: "is missing" });

const status = z.enum(["creating", "active", "suspended"]);

const summary = z.object({
  name: z.string(),
  status,
  /** Whether a command is creating or removing it at the moment. */
  isBusy: z.boolean(),
  /** The address that its pages name. */
  address: z.string(),
  /** Whether it has processes. */
  isAwake: z.boolean(),
  /** The folder of the installation that it was moved to. */
  movedTo: z.string().nullable(),
  createdAt: z.string(),
});

/** A site in the list. */
const listedSite = summary.extend({ domainCount: z.number().int() });
export type ListedSite = z.infer<typeof listedSite>;

/** A site with all of its domains, its main one first. */
export const siteDetail = summary.extend({ domains: z.array(z.string()) });
export type SiteDetail = z.infer<typeof siteDetail>;

const job = z.object({
  name: z.string(),
  kind: z.enum(["create", "remove"]),
  state: z.enum(["running", "done", "failed"]),
  /** What is being done; null before the first step. */
  progress: z.string().nullable(),
  startedAt: z.string(),
  /** Which of several nodes does it; null on one server. */
  node: z.string().nullable(),
  /** The sign-in link of a new site; gone once the job is dismissed, or an hour after its end. */
  link: z.string().nullable(),
  /** There is a link, but the node that answers lacks the key that it is encrypted with. */
  isLinkUnreadable: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
/** The creation or the removal of a site. */
export type SiteJob = z.infer<typeof job>;

export const siteQuery = z.strictObject({
  ...pageQuery,
  q: line(200).default(""),
  status: status.optional(),
});
export const siteList = z.object({
  items: z.array(listedSite),
  total: z.number().int(),
  page: z.number().int(),
  perPage: z.number().int(),
  /** What a new site gets as its domain: its name and this. Null if it needs a domain of its own. */
  domainSuffix: z.string().nullable(),
});
export type SiteList = z.infer<typeof siteList>;

export const nameQuery = z.strictObject({ name: siteName });
export const jobList = z.object({ items: z.array(job) });
export const jobView = job;
export const availability = z.object({ isAvailable: z.boolean() });

const maxMeasured = 25;
/** The names, separated by commas. */
export const usageQuery = z.strictObject({
  names: line(41 * maxMeasured)
    .transform((text) => text.split(","))
    .refine((names) => names.length <= maxMeasured, `must be at most ${maxMeasured} names`)
    .refine((names) => names.every((name) => siteIdPattern.test(name)), "must be names of sites"),
});
const usage = z.object({
  name: z.string(),
  diskBytes: z.number(),
  /** The limit of its disk space; null for none. */
  diskMiB: z.number().nullable(),
  /** When its processes last started or ended. */
  activeAt: z.string().nullable(),
});
export const usageList = z.object({ items: z.array(usage) });
export type MeasuredSite = z.infer<typeof usage>;

export const createBody = z.strictObject({
  name: siteName,
  owner: line(120, { min: 1, empty: "is missing" }),
  /** By default, the name below the installation's own domain. */
  domain: line(300).optional(),
  /** By default, that of the installation's owner. */
  timeZone: line(100).refine(isTimeZone, "must be a time zone such as Europe/Stockholm").optional(),
  diskMiB: diskMiB.nullable().default(null),
});
export type NewSiteBody = z.infer<typeof createBody>;

export const nameBody = z.strictObject({ name: siteName });
export const domainBody = z.strictObject({ name: siteName, domain });
export const limitBody = z.strictObject({ name: siteName, diskMiB: diskMiB.nullable() });
export const limitView = z.object({ name: z.string(), diskMiB: z.number().nullable() });
export const removeBody = z.strictObject({
  name: siteName,
  /** The name once more, as it was typed. */
  confirmName: line(80),
  /** The admin password, if there is one. */
  password: verbatim(5000).optional(),
});
export const dismissed = z.object({ name: z.string() });
