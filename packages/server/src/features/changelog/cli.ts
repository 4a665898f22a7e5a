import { join } from "node:path";
import type { Command } from "commander";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { Db } from "../../platform/db/connect.ts";
import { seedChangelogFile } from "./seed.ts";

/**
 * Registers `seed-changelog`. `ownerName` returns the current name; `onChange` is called in the
 * transaction that adds or removes entries.
 */
export function registerChangelogCommands(
  program: Command,
  context: CliContext,
  options: {
    ownerName(opened: OpenedInstance): Promise<string>;
    onChange?(transaction: Db, reason: string): Promise<void>;
  },
): void {
  program
    .command("seed-changelog")
    .description(
      "replace the seeded changelog entries with those in content/database/changelog.json",
    )
    .action(async () => {
      const opened = await context.open();
      const { config, database } = opened;
      const { onChange } = options;
      const result = await seedChangelogFile(database.db, {
        file: join(config.paths.content, "database", "changelog.json"),
        ownerName: await options.ownerName(opened),
        now: context.clock.now(),
        ...(onChange && { onChange }),
      });
      if (result.added + result.removed > 0) context.print(result);
      else context.printNothingToDo(result);
    });
}
