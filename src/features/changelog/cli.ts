import { join } from "node:path";
import type { Command } from "commander";
import type { CliContext } from "../../platform/cli.ts";
import { seedChangelogFile } from "./seed.ts";

/** Registers `seed-changelog`. */
export function registerChangelogCommands(program: Command, context: CliContext): void {
  program
    .command("seed-changelog")
    .description("make the seeded changelog entries those of content/database/changelog.json")
    .action(async () => {
      const { config, database } = await context.open();
      const result = await seedChangelogFile(database.db, {
        file: join(config.paths.content, "database", "changelog.json"),
        ownerName: config.owner.name,
        now: context.clock.now(),
      });
      if (result.added + result.removed > 0) context.print(result);
      else context.nothingToDo(result);
    });
}
