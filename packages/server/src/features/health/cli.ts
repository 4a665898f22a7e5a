import type { Command } from "commander";
import Agent from "undici/lib/dispatcher/agent.js";
import { request } from "../../platform/http-request.ts";
import { errorEnvelope } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Config } from "../../platform/config.ts";
import { localAddress } from "../../platform/local-address.ts";
import { healthResponse } from "./api.ts";
import type { Health } from "./health.ts";

/** What `status` needs besides the context. */
export interface StatusDependencies {
  /** The configuration of the installed instance; throws `unavailable` if there is none. */
  config(): Promise<Config>;
  /** Ends the command as failed, although it has a result. */
  fail(): void;
}

/** Time limit for an answer, in ms; a check of a part takes at most two seconds. */
const timeoutMs = 5000;
const maxAnswerBytes = 64 * 1024;

/** Whether nothing listens there, so that no Vitrine can be running. */
function isRefused(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === "ECONNREFUSED" || (cause !== undefined && isRefused(cause));
}

async function readHealth(address: string, baseUrl: string): Promise<Health | null> {
  // Whatever listens there can't fill the memory.
  const dispatcher = new Agent({ maxResponseSize: maxAnswerBytes });
  let answer: unknown;
  try {
    const { body } = await request(`http://${address}/api/health`, {
      dispatcher,
      headers: { host: new URL(baseUrl).host },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    answer = await body.json();
  } catch (error) {
    if (isRefused(error)) return null;
    throw new AppError(
      "unavailable",
      `Vitrine doesn't respond at ${address}. Start it with “vitrine start”.`,
      { cause: error },
    );
  } finally {
    await dispatcher.destroy();
  }
  const parsed = healthResponse.safeParse(answer);
  if (parsed.success) return parsed.data.data as Health;
  // The front answers before web does.
  const refusal = errorEnvelope.safeParse(answer);
  if (refusal.success && refusal.data.error.code === "unavailable") {
    throw new AppError("unavailable", `Vitrine at ${address} is starting. Try again in a moment.`);
  }
  throw new AppError(
    "unavailable",
    `Another program responds at ${address}. Check host and port in vitrine.json.`,
  );
}

/** Registers `status`. */
export function registerHealthCommands(
  program: Command,
  context: CliContext,
  deps: StatusDependencies,
): void {
  program
    .command("status")
    .description("print whether Vitrine is running, and the state of its parts")
    .action(async () => {
      const config = await deps.config();
      const address = localAddress(config);
      const health = await readHealth(address, config.baseUrl);
      if (health === null || health.status === "down") deps.fail();
      const site = { site: config.baseUrl, address, dir: config.dir };
      context.print(
        health === null ? { ...site, running: false } : { ...site, running: true, ...health },
      );
    });
}
