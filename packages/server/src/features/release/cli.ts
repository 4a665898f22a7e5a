import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import { writeNginxRelease } from "./nginx-release.ts";
import { rebuildEnd, rebuildState, requestRebuildWithId } from "./rebuild-requests.ts";

/** How long `--wait` waits, and how often it checks, in ms. */
const maxWaitMs = 10 * 60_000;
const everyMs = 250;

type Ended = NonNullable<Awaited<ReturnType<typeof rebuildEnd>>>;

async function waitForEnd(
  { clock }: CliContext,
  readEnd: () => Promise<Ended | null>,
): Promise<Ended> {
  const startedAt = clock.monotonic();
  for (;;) {
    const end = await readEnd();
    if (end !== null) return end;
    if (clock.monotonic() - startedAt > maxWaitMs) {
      const message =
        "The rebuild didn't finish within 10 minutes. Check that the runner is running.";
      throw new AppError("unavailable", message);
    }
    await delay(everyMs);
  }
}

function registerNginxRelease(program: Command, context: CliContext): void {
  program
    .command("nginx-release")
    .description("describe the current release to nginx, which then serves its files")
    .argument("<file>", "the file that nginx includes")
    .action(async (file: string) => {
      const { paths } = (await context.open()).config;
      const { isChanged, ...written } = await writeNginxRelease(paths, file);
      if (isChanged) context.print(written);
      else context.printNothingToDo(written);
    });
}

/** Registers `rebuild` and `nginx-release`. */
export function registerReleaseCommands(program: Command, context: CliContext): void {
  registerNginxRelease(program, context);
  program
    .command("rebuild")
    .description("ask the runner to rebuild the public site from the records")
    .option("--wait", "wait for the result, up to 10 minutes")
    .action(async (options: { wait?: boolean }) => {
      const { db } = (await context.open()).database;
      const request = { reason: "rebuilt by hand", now: context.clock.now() };
      const id = await requestRebuildWithId(db, request);
      if (options.wait === true) {
        const { error } = await waitForEnd(context, () => rebuildEnd(db, id));
        if (error !== null) throw new AppError("validation_failed", error);
      }
      context.print(await rebuildState(db));
    });
}
