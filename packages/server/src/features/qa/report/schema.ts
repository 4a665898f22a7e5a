import { z } from "zod";
import { maxId, boundedText } from "../../../kit/fields.ts";
import { confidence, counts, finding, findingStatus, severity, statuses } from "../schema.ts";

export const exportQuery = z.strictObject({
  format: z.enum(["json", "sarif", "junit", "csv", "html"]).default("json"),
  /** Several are separated by commas; defaults to open and queued. */
  status: statuses.default(["open", "queued"]),
});

/**
 * The findings of one site as a JSON document: GET /export and `vitrine qa`. Its version increases
 * if a key is removed or changes its meaning; keys can be added.
 */
export const jsonReport = z.object({
  version: z.literal(2),
  /** The site's start address. */
  site: z.string(),
  at: z.string(),
  tool: z.object({ name: z.string(), version: z.string() }),
  /** Of the run; null if the findings are from several. */
  stats: z
    .object({
      pages: z.number().int(),
      links: z.number().int(),
      browserPages: z.number().int(),
      ms: z.number(),
    })
    .nullable(),
  /** False if limits ended the run early; unreported findings may then still exist. */
  isComplete: z.boolean(),
  counts,
  skippedChecks: z.array(z.object({ what: z.string(), why: z.string() })),
  /** The number of findings left out because a baseline contains them. */
  baselineCount: z.number().int(),
  findings: z.array(
    finding
      .pick({
        fingerprint: true,
        check: true,
        title: true,
        category: true,
        scope: true,
        severity: true,
        critical: true,
        confidence: true,
        engine: true,
        pageUrl: true,
        target: true,
        message: true,
        evidence: true,
        occurrences: true,
        occurrenceCount: true,
        pageCount: true,
        isSafe: true,
      })
      .extend({
        /** Where it is edited, if known: `app/src/pages/about.astro:12`. */
        source: z.string().optional(),
        /** Its ID in the site's own instance. */
        id: z.number().int().optional(),
        status: findingStatus.optional(),
        firstSeenAt: z.string().optional(),
        lastSeenAt: z.string().optional(),
      }),
  ),
});

/** A root-relative address, as in page names. */
const path = z
  .string("must be text")
  .max(2000)
  .regex(/^\/(?![/\\])[^\p{Cc}\p{Cs}\p{Bidi_C}]*$/u, "must be a path such as /about/");
const json = z.json().refine((value) => JSON.stringify(value).length <= 20_000, "is too long");

const checkName = z
  .string("must be text")
  .max(120)
  .regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/i, "can contain only letters, digits, dots and dashes");

/** A finding of an external program: `qa-finish`. */
const externalFinding = z.strictObject({
  /** `group.name`, from the catalog or the program's own. */
  check: checkName,
  /** Defaults to the catalog's. */
  category: boundedText(60, { least: 1 }).optional(),
  severity,
  confidence: confidence.default("confirmed"),
  page: path,
  target: boundedText(500).nullable().default(null),
  /** Distinguishes it from similar findings on the page, without line numbers. */
  locator: boundedText(500).default(""),
  message: boundedText(1000, { least: 1 }),
  evidence: z.record(z.string().max(60), json).default({}),
  line: z.number().int().min(1).max(maxId).nullable().default(null),
  text: boundedText(300).default(""),
});
export type ExternalFinding = z.infer<typeof externalFinding>;
/** The report of an external program. */
export const externalReport = z.strictObject({
  findings: z.array(externalFinding).max(5000, "are more than 5,000"),
  /** The checks made in this run; by default all that it ever makes. */
  checks: z.array(checkName).max(500).optional(),
  /** The pages visited; by default the whole site. */
  pages: z.array(path).max(50_000).optional(),
});
