import { join } from "node:path";
import type { Config, Environment } from "../platform/config.ts";

/** Variables that are about the installation's own site: its keys and its ports. */
const ownVariables = new Set([
  "BASE_URL",
  "HOST",
  "PORT",
  "RUNNER_PORT",
  "METRICS_HOST",
  "KEYS_DIR",
  "QA_HEARTBEAT_MIN",
  "QA_INTERVAL_MIN",
  "QA_AUTOFIX",
]);

/**
 * The environment of a further site's processes and commands: what is said of the installation's own
 * site isn't said of others. Lines that a process logs go to whoever has started it.
 */
export function siteEnvironment(env: Environment, installation: Config, id: string): Environment {
  const kept = Object.entries(env).filter(([name]) => !ownVariables.has(name));
  const { trustProxy, trustedIps, sandbox, logLevel, installation: paths } = installation;
  return {
    ...Object.fromEntries(kept),
    VITRINE_DIR: join(paths.sites, id),
    METRICS_PORT: "off",
    LOG_TO: "stderr",
    LOG_LEVEL: logLevel,
    SANDBOX: sandbox,
    TRUST_PROXY: trustProxy.join(","),
    TRUSTED_IPS: trustedIps.join(","),
  };
}
