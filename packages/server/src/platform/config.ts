import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../kit/errors.ts";
import { parseInputJson } from "../kit/json.ts";
import { renameKeysAt, type RenamedKeys } from "../kit/renamed-keys.ts";
import { isTimeZone } from "../kit/time.ts";
import { type ChosenDatabase, chooseDatabase } from "./active-database.ts";
import { parseNetworks } from "./http/client-address.ts";
import { type InstancePaths, instancePaths } from "./paths.ts";
import { databaseUrlOf, installationOf, siteSettings, storageOf } from "./site-place.ts";
import type { RotatingFileOptions } from "./rotating-file.ts";
import { findStorage, InvalidStorage, type StorageSettings } from "./storage/storage-url.ts";

const count = z.number().int().positive();

const limitsSchema = z.strictObject({
  adminSignIn: z
    .strictObject({
      perClient: count.default(5),
      total: count.default(20),
      windowMinutes: count.default(15),
    })
    .prefault({}),
  publicPerMinute: count.default(60),
  accounts: z
    .strictObject({
      /** Failed sign-ins per client, and per address, in the window. */
      signInPerClient: count.default(10),
      signInPerAddress: count.default(10),
      signInWindowMinutes: count.default(15),
      /** Sign-ups and emails requested per client, and per address, in an hour. */
      emailsPerClient: count.default(5),
      emailsPerAddress: count.default(3),
    })
    .prefault({}),
  contact: z
    .strictObject({
      /** Messages per client in the window. */
      perClient: count.default(5),
      windowMinutes: count.default(10),
      /** Messages of all clients in an hour. */
      totalPerHour: count.default(200),
    })
    .prefault({}),
  run: z
    .strictObject({
      steps: count.default(40),
      minutes: count.default(10),
      tokens: count.default(400_000),
    })
    .prefault({}),
  build: z
    .strictObject({
      seconds: count.default(60),
      memoryMiB: count.default(1536),
      outputMiB: count.default(1024),
      processes: count.default(64),
      /**
       * Whether a builder is kept preloaded: builds start a second sooner, for 250 MB of memory.
       */
      warm: z.boolean().default(true),
      /** How many new share images a build draws; the rest waits for later builds. */
      shareImages: z.number().int().nonnegative().default(64),
    })
    .prefault({}),
  tasks: z
    .strictObject({
      /** How often a task is started before it fails. */
      attempts: count.default(3),
      /** How long a worker may be silent before its task can go to another one. */
      leaseSeconds: count.default(60),
      /** How many tasks a runner executes at once. */
      parallel: count.default(1),
      /**
       * Limits for a change that goes live unattended: files, lines, and growth of the site in KiB.
       */
      files: count.default(20),
      lines: count.default(800),
      growthKiB: count.default(2048),
    })
    .prefault({}),
  qa: z
    .strictObject({
      /** How many pages one QA run checks, and how many of them in a browser. */
      pages: count.default(5000),
      browserPages: count.default(1000),
      /** External addresses in one QA run. */
      externals: count.default(3000),
      /** Time limit of a QA run. */
      seconds: count.default(1200),
      /** Open connections to the site, and to one external host. */
      connections: count.default(32),
      perHost: count.default(10),
      /** Maximum size of a response that is read. */
      bodyMiB: count.default(20),
      /** Time limit for each phase: connecting, the first byte, and the rest of a body. */
      phaseSeconds: count.default(15),
    })
    .prefault({}),
  keep: z
    .strictObject({
      artifacts: count.default(10),
      releases: count.default(10),
      /** Backups in the object store. */
      backups: count.default(14),
    })
    .prefault({}),
  workspace: z
    .strictObject({
      bytes: count.default(64 * 1024 * 1024),
      files: count.default(2000),
      fileBytes: count.default(2 * 1024 * 1024),
    })
    .prefault({}),
  media: z
    .strictObject({
      imageMiB: count.default(50),
      megapixels: count.default(100),
      avifMegapixels: count.default(40),
      /** The largest cameras of telephones have 48. */
      heicMegapixels: count.default(50),
      imageSeconds: count.default(30),
      frames: count.default(500),
      /** Of all frames of an animation together. */
      animationMegapixels: count.default(400),
      videoMiB: count.default(500),
      videoSeconds: count.default(180),
      /** Maximum length of an uploaded video's longer edge. */
      videoEdge: count.default(4096),
      /** How many uploads may wait for a worker. */
      queue: count.default(32),
    })
    .prefault({}),
  /** How much disk space the instance may use, in MiB; null: as much as there is. */
  diskMiB: count.nullable().default(null),
});

const port = z.number().int().min(0).max(65_535);
const timeZone = z.string().refine(isTimeZone, "must be a time zone such as Europe/Stockholm");
const webUrl = z.url({ protocol: /^https?$/ });

const fileSchema = z.strictObject({
  baseUrl: webUrl.default("http://localhost:3000"),
  host: z.string().min(1).default("127.0.0.1"),
  port: port.default(3000),
  runnerPort: port.default(3011),
  owner: z
    .strictObject({
      name: z.string().trim().min(1).max(120).default("Site owner"),
      timeZone: timeZone.default("UTC"),
    })
    .prefault({}),
  trustedIps: z.array(z.string()).default([]),
  trustProxy: z.array(z.string()).default([]),
  sandbox: z.enum(["auto", "require", "off"]).default("auto"),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  model: z
    .strictObject({
      provider: z.enum(["anthropic", "openai", "openai-compatible"]),
      id: z.string().min(1),
      baseUrl: webUrl.optional(),
      /** Price per million tokens: input, cached input, output. */
      inputPrice: z.number().nonnegative().optional(),
      cachedInputPrice: z.number().nonnegative().optional(),
      outputPrice: z.number().nonnegative().optional(),
      /** The currency of the prices, such as USD. */
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional(),
      /** The context window in tokens. */
      windowTokens: z.number().int().min(8000).max(10_000_000).optional(),
    })
    .nullable()
    .default(null),
  limits: limitsSchema.prefault({}),
  qa: z
    .strictObject({
      intervalMinutes: z.number().int().min(0).max(10_080).default(60),
      autofix: z.boolean().default(true),
      /** Where the runner reaches the site for QA runs; defaults to the base URL. */
      address: webUrl.nullable().default(null),
    })
    .prefault({}),
  log: z
    .strictObject({
      /** `file`: to data/logs instead of stderr. */
      to: z.enum(["stderr", "file"]).default("stderr"),
      /** Size of a file, and how many there are. */
      maxMiB: count.max(1024).default(10),
      files: z.number().int().min(2).max(100).default(5),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      /** Where metrics are served; null: nowhere. */
      port: z.number().int().min(1).max(65_535).nullable().default(null),
      host: z.string().min(1).default("127.0.0.1"),
    })
    .prefault({}),
  ...siteSettings,
});

type ConfigFile = z.infer<typeof fileSchema>;
export type Limits = z.infer<typeof limitsSchema>;

/** The configuration of the whole program; created once at startup and passed as an argument. */
export interface Config extends ConfigFile, ChosenDatabase {
  dir: string;
  paths: InstancePaths;
  /** The installation that this instance is part of: itself, or the one that it is a further site of. */
  installation: InstancePaths;
  /** The object store that the nodes of this instance share; null if it is on one disk. */
  storage: StorageSettings | null;
  /** Keys overridden by the environment, such as `qa.autofix`, with their variables. */
  variables: Readonly<Record<string, string>>;
}

/** The log's files; null if it goes to stderr. */
export function logFileOf({ log, paths }: Config): RotatingFileOptions | null {
  if (log.to === "stderr") return null;
  const path = join(paths.logs, "vitrine.log");
  return { path, maxBytes: log.maxMiB * 2 ** 20, files: log.files };
}

/** The default limits. */
export const defaultLimits: Limits = limitsSchema.parse({});

/** A process's environment variables. */
export type Environment = Record<string, string | undefined>;

const digits = z.string().regex(/^\d+$/, "must be a whole number").transform(Number);
const list = z.string().transform((text) => text.split(/[\s,]+/).filter((part) => part !== ""));
const flag = z.enum(["1", "0", "true", "false", "on", "off"], "must be on or off");

/** Environment variable → the key it overrides, and how its text is parsed. */
const overrides: Record<string, { path: [string, string?]; read: z.ZodType }> = {
  BASE_URL: { path: ["baseUrl"], read: z.string() },
  HOST: { path: ["host"], read: z.string() },
  PORT: { path: ["port"], read: digits },
  RUNNER_PORT: { path: ["runnerPort"], read: digits },
  METRICS_PORT: {
    path: ["metrics", "port"],
    read: z.union([z.literal("off").transform(() => null), digits], "must be a port or off"),
  },
  METRICS_HOST: { path: ["metrics", "host"], read: z.string() },
  TRUSTED_IPS: { path: ["trustedIps"], read: list },
  TRUST_PROXY: { path: ["trustProxy"], read: list },
  SANDBOX: { path: ["sandbox"], read: z.string() },
  LOG_TO: { path: ["log", "to"], read: z.string() },
  LOG_LEVEL: { path: ["logLevel"], read: z.string() },
  /** The former name of QA_INTERVAL_MIN, which takes precedence. */
  QA_HEARTBEAT_MIN: { path: ["qa", "intervalMinutes"], read: digits },
  QA_INTERVAL_MIN: { path: ["qa", "intervalMinutes"], read: digits },
  QA_AUTOFIX: {
    path: ["qa", "autofix"],
    read: flag.transform((value) => ["1", "true", "on"].includes(value)),
  },
};

/** Keys of vitrine.json with former names that are still accepted. */
const renamedKeys: readonly (readonly [path: readonly string[], names: RenamedKeys])[] = [
  [
    ["limits", "accounts"],
    { mailsPerClient: "emailsPerClient", mailsPerAddress: "emailsPerAddress" },
  ],
  [["limits", "build"], { sharePictures: "shareImages" }],
  [["qa"], { heartbeatMinutes: "intervalMinutes" }],
];

function configError(name: string, reason: string, cause?: unknown): AppError {
  return new AppError("bad_request", `Configuration: ${name} ${reason}.`, {
    fields: { [name]: reason },
    cause,
  });
}

function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw configError(file, "can't be read", error);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(parseInputJson(text));
  if (!parsed.success) throw configError(file, "must be a JSON object");
  return renamedKeys.reduce(
    (values, [path, names]) => renameKeysAt(values, path, names) as Record<string, unknown>,
    parsed.data,
  );
}

/** Applies the environment to the file's values and returns which variable overrides which key. */
function applyEnvironment(values: Record<string, unknown>, env: Environment): Map<string, string> {
  const origins = new Map<string, string>();
  for (const [name, { path, read }] of Object.entries(overrides)) {
    const text = env[name];
    if (text === undefined || text === "") continue;
    const result = read.safeParse(text);
    if (!result.success) throw configError(name, result.error.issues[0]?.message ?? "is invalid");
    const [key, inner] = path;
    values[key] =
      inner === undefined
        ? result.data
        : { ...(values[key] as Record<string, unknown> | undefined), [inner]: result.data };
    origins.set(path.filter((part) => part !== undefined).join("."), name);
  }
  return origins;
}

function refuseUnknownVariables(env: Environment): void {
  const names = Object.keys(env).filter((name) => name.startsWith("VITRINE_"));
  const unknown = names.find((name) => name !== "VITRINE_DIR");
  if (unknown !== undefined) throw configError(unknown, "isn't a known variable");
}

function validate(values: Record<string, unknown>, origins: Map<string, string>): ConfigFile {
  const result = fileSchema.safeParse(values);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path.join(".") ?? "";
  const name =
    issue?.code === "unrecognized_keys" ? [path, ...issue.keys].filter(Boolean).join(".") : path;
  throw configError(origins.get(path) ?? name, issue?.message ?? "is invalid");
}

function readStorage(env: Environment, chosen: ChosenDatabase): StorageSettings | null {
  try {
    return findStorage(env, chosen);
  } catch (error) {
    throw error instanceof InvalidStorage ? configError(error.variable, error.message) : error;
  }
}

/**
 * Reads vitrine.json of the instance (VITRINE_DIR, otherwise ./instance) and applies the
 * environment. Throws `bad_request` with the invalid key or variable.
 */
export function loadConfig(env: Environment): Config {
  refuseUnknownVariables(env);
  const own = instancePaths(resolve(env["VITRINE_DIR"] ?? "instance"));
  const values = readConfigFile(own.configFile);
  const origins = applyEnvironment(values, env);
  const config = validate(values, origins);
  parseNetworks(config.trustedIps, origins.get("trustedIps") ?? "trustedIps");
  parseNetworks(config.trustProxy, origins.get("trustProxy") ?? "trustProxy");
  const { address } = config.qa;
  // Another address of the same site: its own name, encrypted or not like the site.
  if (address !== null && new URL(address).protocol !== new URL(config.baseUrl).protocol) {
    throw configError("qa.address", "must have the scheme of the base URL");
  }
  // A further site has keys of its own, whatever is said of the installation.
  const keys = env["KEYS_DIR"] && config.site === null ? resolve(env["KEYS_DIR"]) : own.keys;
  const paths = { ...own, keys };
  const installation = installationOf(paths, config.site);
  const chosen = chooseDatabase(paths, databaseUrlOf(env["DATABASE_URL"], config.site));
  // Compiled code of the program is the same for all sites, and nobody but their processes writes it.
  const { compileCache, builderCode } = installation;
  return {
    ...config,
    dir: paths.dir,
    paths: { ...paths, compileCache, builderCode },
    installation,
    ...chosen,
    storage: storageOf(readStorage(env, chosen), config.site),
    variables: Object.fromEntries(origins),
  };
}
