import { join } from "node:path";
import type { Command } from "commander";
import type { CliContext } from "../../platform/cli.ts";
import type { Db } from "../../platform/db/connect.ts";
import { seedChangelogFile } from "./seed.ts";

/** Registers `seed-changelog`. `onChange` is told in the transaction in which entries came or went. */
export function registerChangelogCommands(
  program: Command,
  context: CliContext,
  options: { onChange?: (transaction: Db, reason: string) => Promise<void> } = {},
): void {
  program
    .command("seed-changelog")
    .description("make the seeded changelog entries those of content/database/changelog.json")
    .action(async () => {
      const { config, database } = await context.open();
      const result = await seedChangelogFile(database.db, {
        file: join(config.paths.content, "database", "changelog.json"),
        ownerName: config.owner.name,
        now: context.clock.now(),
        ...options,
      });
      if (result.added + result.removed > 0) context.print(result);
      else context.nothingToDo(result);
    });
}
