import type {
  CopyForms,
  TargetKind,
} from "../../../../server/src/features/publish-targets/schema.ts";
import type { FieldErrors } from "../forms/useForm.ts";
import type { Target } from "./useTargets.ts";

/** All fields of all kinds; only those of the chosen kind are shown and sent. */
export interface TargetForm {
  kind: TargetKind;
  name: string;
  siteUrl: string;
  forms: CopyForms;
  secret: string;
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  addressStyle: "path" | "host";
  accessKeyId: string;
  url: string;
  branch: string;
  layout: "root" | "gitlab";
  domain: string;
  user: string;
  hostKey: string;
  host: string;
  port: string;
  folder: string;
  placement: "atomic" | "in-place";
  keptReleases: string;
  siteId: string;
  accountId: string;
  project: string;
}

const empty: TargetForm = {
  kind: "s3",
  name: "",
  siteUrl: "",
  forms: "off",
  secret: "",
  endpoint: "",
  region: "",
  bucket: "",
  prefix: "",
  addressStyle: "path",
  accessKeyId: "",
  url: "",
  branch: "",
  layout: "root",
  domain: "",
  user: "",
  hostKey: "",
  host: "",
  port: "22",
  folder: "",
  placement: "atomic",
  keptReleases: "3",
  siteId: "",
  accountId: "",
  project: "",
};

const firstBranch: Partial<Record<TargetKind, string>> = { git: "gh-pages", cloudflare: "main" };

/** The form of a new target. */
export function newTarget(kind: TargetKind): TargetForm {
  return { ...empty, kind, branch: firstBranch[kind] ?? "" };
}

/** The form of a stored target. */
export function targetForm({ name, siteUrl, forms, settings }: Target): TargetForm {
  const common = { ...newTarget(settings.kind), name, siteUrl: siteUrl ?? "", forms };
  switch (settings.kind) {
    case "s3": {
      const { isPathStyle, ...rest } = settings;
      return { ...common, ...rest, addressStyle: isPathStyle ? "path" : "host" };
    }
    case "git":
      return {
        ...common,
        ...settings,
        domain: settings.domain ?? "",
        hostKey: settings.hostKey ?? "",
      };
    case "rsync": {
      const { isAtomic, port, keptReleases, ...rest } = settings;
      const placement = isAtomic ? "atomic" : "in-place";
      const numbers = { port: String(port), keptReleases: String(keptReleases) };
      return { ...common, ...rest, ...numbers, placement };
    }
    default:
      return { ...common, ...settings };
  }
}

/** Whether the repository is reached by SSH, with a key that Vitrine makes. */
export function isSshAddress(url: string): boolean {
  return url.trim() !== "" && !/^https?:/i.test(url.trim());
}

/** Whether a token or key is entered for this form. */
export function hasSecret({ kind, url }: TargetForm): boolean {
  return kind === "git" ? /^https?:/i.test(url.trim()) : kind !== "rsync";
}

/** The SSH server of the form, to ask for its key; null if it isn't complete. */
export function sshServer(form: TargetForm): { host: string; port: number } | null {
  if (form.kind === "rsync") {
    const port = Number(form.port);
    const isComplete = form.host.trim() !== "" && Number.isInteger(port) && port > 0;
    return isComplete ? { host: form.host.trim(), port } : null;
  }
  if (form.kind !== "git" || !isSshAddress(form.url)) return null;
  const address = form.url.trim();
  const scp = /^[^@/\s]+@([^:/\s]+):/.exec(address);
  if (scp) return { host: scp[1] ?? "", port: 22 };
  const url = URL.parse(address);
  return url?.hostname ? { host: url.hostname, port: Number(url.port) || 22 } : null;
}

function settingsOf(form: TargetForm): object {
  const text = (name: keyof TargetForm) => form[name].trim();
  switch (form.kind) {
    case "s3":
      return {
        kind: "s3",
        endpoint: text("endpoint").replace(/\/$/, ""),
        region: text("region"),
        bucket: text("bucket"),
        prefix: text("prefix").replace(/^\/+|\/+$/g, ""),
        isPathStyle: form.addressStyle === "path",
        accessKeyId: text("accessKeyId"),
      };
    case "git":
      return {
        kind: "git",
        url: text("url"),
        branch: text("branch"),
        layout: form.layout,
        domain: text("domain") || null,
        user: text("user"),
        hostKey: isSshAddress(form.url) ? text("hostKey") || null : null,
      };
    case "rsync":
      return {
        kind: "rsync",
        host: text("host"),
        port: Number(text("port")),
        user: text("user"),
        folder: text("folder"),
        isAtomic: form.placement === "atomic",
        keptReleases: Number(text("keptReleases")),
        hostKey: text("hostKey"),
      };
    case "netlify":
      return { kind: "netlify", siteId: text("siteId") };
    default:
      return {
        kind: "cloudflare",
        accountId: text("accountId"),
        project: text("project"),
        branch: text("branch"),
      };
  }
}

/** The request for a target. Without a new secret, the stored one stays. */
export function targetBody(form: TargetForm): object {
  const secret = form.secret.trim();
  return {
    name: form.name.trim(),
    siteUrl: form.siteUrl.trim().replace(/\/$/, "") || null,
    forms: form.forms,
    settings: settingsOf(form),
    ...(hasSecret(form) && secret !== "" && { secret }),
  };
}

type Required = readonly [field: keyof TargetForm, sentence: string][];

const required: Readonly<Record<TargetKind, Required>> = {
  s3: [
    ["endpoint", "Enter the address of the S3 server."],
    ["region", "Enter the region of the bucket."],
    ["bucket", "Enter the name of the bucket."],
    ["accessKeyId", "Enter the access key ID."],
  ],
  git: [
    ["url", "Enter the address of the repository."],
    ["branch", "Enter the branch that the pages are served from."],
  ],
  rsync: [
    ["host", "Enter the name of the server."],
    ["user", "Enter the user on the server."],
    ["folder", "Enter the folder on the server."],
    ["hostKey", "Get the server’s host key and compare its fingerprint."],
  ],
  netlify: [["siteId", "Enter the ID of the site."]],
  cloudflare: [
    ["accountId", "Enter the account ID."],
    ["project", "Enter the name of the project."],
    ["branch", "Enter the branch of the project."],
  ],
};

/** Errors found before asking the server, by the server's names. */
export function missingTarget(form: TargetForm, isNew: boolean): FieldErrors {
  const errors: FieldErrors = {};
  if (form.name.trim() === "") errors["name"] = "Enter a name.";
  if (form.forms === "origin" && form.siteUrl.trim() === "") {
    errors["siteUrl"] = "Enter the address of the copy, so that messages from there are accepted.";
  }
  for (const [field, sentence] of required[form.kind]) {
    if (form[field].trim() === "") errors[`settings.${field}`] = sentence;
  }
  if (form.kind === "git" && isSshAddress(form.url) && form.hostKey.trim() === "") {
    errors["settings.hostKey"] = "Get the server’s host key and compare its fingerprint.";
  }
  if (isNew && hasSecret(form) && form.secret.trim() === "") {
    errors["secret"] = form.kind === "s3" ? "Enter the secret key." : "Enter the token.";
  }
  return errors;
}

/** The names that errors can have. */
export const targetNames: readonly string[] = [
  "name",
  "siteUrl",
  "forms",
  "secret",
  ...Object.keys(empty).map((name) => `settings.${name}`),
];
