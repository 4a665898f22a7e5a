import { z } from "zod";
import { code, line, rowId } from "../../kit/fields.ts";

/** What a copy of the site can be sent to. */
export const targetKind = z.enum(["s3", "git", "rsync", "netlify", "cloudflare"]);
export type TargetKind = z.infer<typeof targetKind>;

/**
 * What a copy's contact form and account links do. `origin`: they lead to this server. `forwarded`:
 * they stay as they are, because what serves the copy forwards `/api/` and `/account/` to this
 * server. `off`: the copy says that they don't work there.
 */
export const copyForms = z.enum(["origin", "forwarded", "off"]);
export type CopyForms = z.infer<typeof copyForms>;

export const targetBounds = { count: 10, name: 60, keptReleases: 20 } as const;

const hostName = code(253).regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i, "must be a host name");
const userName = code(64).regex(/^[a-z0-9_][a-z0-9_.-]*$/i, "must be a user name");
const port = z.number("must be a number").int().min(1).max(65_535);
/** As in a known_hosts file: the type and the key. */
const hostKey = line(2000).regex(
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]{40,}={0,2}$/,
  "must be a host key, such as ssh-ed25519 AAAA…",
);
const segment = "[A-Za-z0-9_~+@%=,-][A-Za-z0-9._~+@%=,-]*";

function isPlainAddress(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  if (url === null || !protocols.includes(url.protocol) || url.hostname === "") return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === "";
}

const webAddress = line(500).refine(
  (text) => isPlainAddress(text, ["https:", "http:"]),
  "must be a web address without a user name or query",
);

/** Only the origin of a web address, without a path. */
const webOrigin = webAddress
  .refine((text) => URL.parse(text)?.pathname === "/", "must be an address without a path")
  .overwrite((text) => URL.parse(text)?.origin ?? text);

/** `git@host:path` and `ssh://user@host:port/path`. */
const scpAddress = /^([a-z0-9_][a-z0-9_.-]*)@([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?):(?!\/\/)(\S+)$/i;

export interface GitAddress {
  protocol: "ssh" | "https";
  host: string;
  port: number;
  user: string;
}

/** The parts of a git remote's address; null if it isn't one that can be used. */
export function parseGitAddress(text: string): GitAddress | null {
  const scp = scpAddress.exec(text);
  if (scp !== null) {
    return { protocol: "ssh", host: scp[2] ?? "", port: 22, user: scp[1] ?? "" };
  }
  const url = URL.parse(text);
  if (url === null || `${url.password}${url.search}${url.hash}` !== "") return null;
  if (!hostName.safeParse(url.hostname).success || url.pathname.length < 2) return null;
  if (url.protocol === "https:" && url.username === "") {
    return { protocol: "https", host: url.hostname, port: Number(url.port) || 443, user: "" };
  }
  if (url.protocol !== "ssh:" || !userName.safeParse(url.username).success) return null;
  return { protocol: "ssh", host: url.hostname, port: Number(url.port) || 22, user: url.username };
}

export const s3Settings = z.strictObject({
  kind: z.literal("s3"),
  endpoint: webOrigin,
  region: code(60).regex(/^[A-Za-z0-9-]+$/, "must be a region such as eu-central-1"),
  bucket: code(63).regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket"),
  /** A folder in the bucket; empty for its root. */
  prefix: line(200).regex(
    new RegExp(`^(?:${segment}(?:/${segment})*)?$`),
    "must be a folder such as site/live",
  ),
  /** Whether the bucket is part of the address's path instead of its host name. */
  isPathStyle: z.boolean(),
  accessKeyId: code(200).min(1, "can't be empty"),
});
export type S3Settings = z.infer<typeof s3Settings>;

export const gitSettings = z
  .strictObject({
    kind: z.literal("git"),
    url: line(500).refine(
      (text) => parseGitAddress(text) !== null,
      "must be an address such as git@host:owner/site.git or https://host/owner/site.git",
    ),
    branch: code(100).regex(
      new RegExp(`^(?!.*(?:\\.lock(?:/|$)|\\.\\.|@\\{))(?!-)${segment}(?:/${segment})*(?<!\\.)$`),
      "must be the name of a branch",
    ),
    /** `gitlab` puts the site into `public/` and adds the job that GitLab Pages needs. */
    layout: z.enum(["root", "gitlab"]),
    /** The domain that GitHub Pages serves the branch at. */
    domain: hostName.nullable(),
    /** For https: the name that belongs to the token. */
    user: line(100).regex(/^[^:]*$/, "can't contain a colon"),
    /** For ssh: the server's public key. */
    hostKey: hostKey.nullable(),
  })
  .refine(({ url, hostKey: key }) => parseGitAddress(url)?.protocol !== "ssh" || key !== null, {
    message: "is required",
    path: ["hostKey"],
  });
export type GitSettings = z.infer<typeof gitSettings>;

export const rsyncSettings = z.strictObject({
  kind: z.literal("rsync"),
  host: hostName,
  port,
  user: userName,
  /** Relative to the user's home if it doesn't begin with a slash. */
  folder: line(300).regex(
    new RegExp(`^/?${segment}(?:/${segment})*/?$`),
    "must be a folder such as /var/www/site",
  ),
  /**
   * Whether each release gets its own folder, and the link `current` leads to the newest one.
   * Otherwise the files in the folder itself are replaced.
   */
  isAtomic: z.boolean(),
  /** How many of these folders are kept. */
  keptReleases: z.number("must be a number").int().min(1).max(targetBounds.keptReleases),
  hostKey,
});
export type RsyncSettings = z.infer<typeof rsyncSettings>;

export const netlifySettings = z.strictObject({
  kind: z.literal("netlify"),
  siteId: code(253).regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/, "must be the ID of a site"),
});
export type NetlifySettings = z.infer<typeof netlifySettings>;

export const cloudflareSettings = z.strictObject({
  kind: z.literal("cloudflare"),
  accountId: code(64).regex(/^[0-9a-f]{32}$/, "must be an account ID of 32 characters"),
  project: code(58).regex(/^[a-z0-9][a-z0-9-]*$/, "must be the name of a project"),
  /** Its production branch for the live site, any other for a preview. */
  branch: code(100).regex(/^[A-Za-z0-9_./-]+$/, "must be the name of a branch"),
});
export type CloudflareSettings = z.infer<typeof cloudflareSettings>;

/** What a kind needs to know, without secrets. */
export const targetSettings = z.discriminatedUnion(
  "kind",
  [s3Settings, gitSettings, rsyncSettings, netlifySettings, cloudflareSettings],
  { error: "must be one of s3, git, rsync, netlify, cloudflare" },
);
export type TargetSettings = z.infer<typeof targetSettings>;

/** What all kinds have. */
const common = {
  name: line(targetBounds.name, { min: 1 }),
  /** The public address of the copy. */
  siteUrl: webOrigin.nullable(),
  forms: copyForms,
};

/** The settings as stored, with the public part of the SSH key that Vitrine has made. */
export const storedTarget = z.object({
  siteUrl: z.string().nullable(),
  forms: copyForms,
  settings: targetSettings,
  publicKey: z.string().nullable(),
});
export type StoredTarget = z.infer<typeof storedTarget>;

function hasAddressForForms(body: { forms: CopyForms; siteUrl: string | null }): boolean {
  return body.forms !== "origin" || body.siteUrl !== null;
}
const addressForForms = {
  message: "is required so that this server accepts messages from there",
  path: ["siteUrl"],
};

const secret = code(4000).min(1, "can't be empty").optional();

/** POST /api/adminsettings/targets/create */
export const createBody = z
  .strictObject({ ...common, settings: targetSettings, secret })
  .refine(hasAddressForForms, addressForForms);
export type CreateBody = z.infer<typeof createBody>;

/**
 * POST /api/adminsettings/targets/save. A missing secret stays unchanged as long as its destination
 * does.
 */
export const saveBody = z
  .strictObject({ id: rowId, ...common, settings: targetSettings, secret })
  .refine(hasAddressForForms, addressForForms);
export type SaveBody = z.infer<typeof saveBody>;

export const targetBody = z.strictObject({ id: rowId });
export const pauseBody = z.strictObject({ id: rowId, isPaused: z.boolean() });
/** `everything`: also what the target has already. */
export const sendBody = z.strictObject({ id: rowId, everything: z.boolean().default(false) });
export const hostKeyBody = z.strictObject({ host: hostName, port });

/** A server's public key; the owner compares the fingerprint with the server's own. */
export const foundHostKey = z.object({ hostKey: z.string(), fingerprint: z.string() });
export type FoundHostKey = z.infer<typeof foundHostKey>;

/** What a test of the connection has found. */
export const targetTest = z.object({ found: z.string() });
export type TargetTest = z.infer<typeof targetTest>;

export const targetStatus = z.enum(["paused", "up_to_date", "sending", "failed", "waiting"]);

/** A publish target with its state, without its secret. */
export const target = z.object({
  id: z.int(),
  name: z.string(),
  kind: targetKind,
  siteUrl: z.string().nullable(),
  forms: copyForms,
  settings: targetSettings,
  /** Whether a key or token is saved. */
  secretSet: z.boolean(),
  /** The public part of the SSH key that Vitrine has made for this target. */
  publicKey: z.string().nullable(),
  status: targetStatus,
  /** The files of the running delivery. */
  doneFiles: z.int(),
  totalFiles: z.int(),
  /** Why the last attempt failed; null after a successful one. */
  error: z.string().nullable(),
  /** The next attempt; null if there is none. */
  nextAttemptAt: z.string().nullable(),
  /** The last release that was sent completely, and what was sent for it. */
  sent: z
    .object({ release: z.int(), at: z.string(), files: z.int(), bytes: z.number() })
    .nullable(),
});
export type Target = z.infer<typeof target>;

export const targetList = z.object({
  items: z.array(target),
  total: z.int(),
  /** The release that is live on this server. */
  release: z.int().nullable(),
});
export type TargetList = z.infer<typeof targetList>;
export const deleted = z.object({ id: z.int(), deleted: z.literal(true) });
