import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import { localAddress } from "../../platform/local-address.ts";

/** What the files for an instance's host contain of the instance. */
export interface Deployment {
  /** The site's address without a slash at its end. */
  origin: string;
  /** The address's host name and, if it isn't the scheme's own, its port. */
  hostname: string;
  port: number;
  isHttps: boolean;
  /** Where Vitrine listens, as `127.0.0.1:3000`. */
  upstream: string;
  /** The instance's folder. */
  dir: string;
  /** The program `vitrine`. */
  program: string;
  /** The folder of its Node, if services don't look for programs there. */
  nodeFolder: string | null;
  /** The user and group that own the instance. */
  user: string;
  /** Maximum size of a request's body, MiB. */
  bodyMiB: number;
  /** Certificate and key in PEM for nginx. */
  certificate: string;
  key: string;
  /** Where nginx reads the current release. */
  releaseFile: string;
  /** Whether nginx has its module for files with `.br`. */
  brotli: boolean;
  /** Whether there are further sites, whose domains only the running installation knows. */
  hasSites: boolean;
  /** Whether there is an object store, which backups go to. */
  hasStorage: boolean;
}

/** The program that a host is to run. */
export type DeployedProgram = Pick<Deployment, "program" | "nodeFolder">;

/** What the caller may choose; the other parts follow from the configuration. */
export interface DeploymentChoices {
  user: string;
  certificate?: string | undefined;
  key?: string | undefined;
  releaseFile?: string | undefined;
  brotli?: boolean | undefined;
  hasSites?: boolean;
}

/** Room for what surrounds a file in a form, MiB. */
const formMiB = 1;

/** Characters that mean the same in nginx, Caddy, systemd, and a shell. */
const plainPath = /^\/[\w./@+-]+$/;
const plainUser = /^[a-z_][a-z0-9_-]{0,31}$/i;

function assertPlainPath(path: string, what: string): void {
  if (plainPath.test(path)) return;
  const message = `${what} must be an absolute path of letters, digits, and . _ - @ +, not “${path}”. Move it, or use a symbolic link.`;
  throw new AppError("validation_failed", message);
}

/**
 * Reads what the files need from an instance's configuration. Throws `validation_failed` for paths and
 * names that can't be written in all of them as they are.
 */
export function describeDeployment(
  config: Config,
  { program, nodeFolder }: DeployedProgram,
  choices: DeploymentChoices,
): Deployment {
  const { protocol, hostname, port, origin } = new URL(config.baseUrl);
  const isHttps = protocol === "https:";
  const { imageMiB, videoMiB } = config.limits.media;
  const folder = `/etc/letsencrypt/live/${hostname}`;
  const described: Deployment = {
    origin,
    hostname,
    port: Number(port) || (isHttps ? 443 : 80),
    isHttps,
    upstream: localAddress(config),
    dir: config.dir,
    program,
    nodeFolder,
    user: choices.user,
    bodyMiB: Math.max(imageMiB, videoMiB) + formMiB,
    certificate: choices.certificate ?? `${folder}/fullchain.pem`,
    key: choices.key ?? `${folder}/privkey.pem`,
    releaseFile: choices.releaseFile ?? "/etc/nginx/vitrine-release.conf",
    brotli: choices.brotli ?? false,
    hasSites: choices.hasSites ?? false,
    hasStorage: config.storage !== null,
  };
  assertPlainPath(described.dir, "The instance's folder");
  assertPlainPath(described.program, "The program's path");
  if (nodeFolder !== null) assertPlainPath(nodeFolder, "The folder of Node");
  assertPlainPath(described.certificate, "The certificate");
  assertPlainPath(described.key, "The certificate's key");
  assertPlainPath(described.releaseFile, "The release file");
  if (!plainUser.test(described.user)) {
    throw new AppError("validation_failed", `“${described.user}” isn't the name of a user.`);
  }
  return described;
}
