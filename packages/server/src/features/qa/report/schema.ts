import { z } from "zod";
import { maxId, boundedText } from "../../../kit/fields.ts";
import { confidence, counts, finding, findingStatus, severity, statuses } from "../schema.ts";

export const exportQuery = z.strictObject({
  format: z.enum(["json", "sarif", "junit", "csv"]).default("json"),
  /** Several are joined by commas; left out: open and queued. */
  status: statuses.default(["open", "queued"]),
});

/**
 * The findings of one site as a JSON document: GET /export and `vitrine qa`. Its version grows when
 * a key goes or means something else; keys may be added.
 */
export const jsonReport = z.object({
  version: z.literal(2),
  /** Where the site begins. */
  site: z.string(),
  at: z.string(),
  tool: z.object({ name: z.string(), version: z.string() }),
  /** Of the run; null where the findings are of many. */
  stats: z
    .object({
      pages: z.number().int(),
      links: z.number().int(),
      browserPages: z.number().int(),
      ms: z.number(),
    })
    .nullable(),
  /** False when limits cut the look: then what isn't told may still be there. */
  isComplete: z.boolean(),
  counts,
  skippedChecks: z.array(z.object({ what: z.string(), why: z.string() })),
  /** Findings that are left out because a baseline has them. */
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
        /** Where the site's own instance keeps it. */
        id: z.number().int().optional(),
        status: findingStatus.optional(),
        firstSeenAt: z.string().optional(),
        lastSeenAt: z.string().optional(),
      }),
  ),
});

/** A root-relative address, as pages are named. */
const path = z
  .string("must be text")
  .max(2000)
  .regex(/^\/(?![/\\])[^\p{Cc}\p{Cs}\p{Bidi_C}]*$/u, "must be a path such as /about/");
const json = z.json().refine((value) => JSON.stringify(value).length <= 20_000, "is too long");

const checkName = z
  .string("must be text")
  .max(120)
  .regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/i, "must be made of letters, digits, dots and dashes");

/** One finding of a program that came by the command line: `qa-finish`. */
const externalFinding = z.strictObject({
  /** `group.name`, as in the catalog, or one of its own. */
  check: checkName,
  /** Left out: as the catalog has it. */
  category: boundedText(60, { least: 1 }).optional(),
  severity,
  confidence: confidence.default("confirmed"),
  page: path,
  target: boundedText(500).nullable().default(null),
  /** What tells it from others of its kind on the page, without line numbers. */
  locator: boundedText(500).default(""),
  message: boundedText(1000, { least: 1 }),
  evidence: z.record(z.string().max(60), json).default({}),
  line: z.number().int().min(1).max(maxId).nullable().default(null),
  text: boundedText(300).default(""),
});
export type ExternalFinding = z.infer<typeof externalFinding>;
/** All that such a program has found. */
export const externalReport = z.strictObject({
  findings: z.array(externalFinding).max(5000, "are more than 5,000"),
  /** The checks that it has made this time; left out: all that it ever makes. */
  checks: z.array(checkName).max(500).optional(),
  /** The pages that it has looked at; left out: all of the site. */
  pages: z.array(path).max(50_000).optional(),
});
