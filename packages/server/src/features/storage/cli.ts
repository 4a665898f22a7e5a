import { type Command, Option } from "commander";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";

/** What the commands of several nodes need from the rest of the program. */
export interface StorageCommandDependencies {
  /**
   * Stores everything in the object store, or has everything in the folder of this node again. Returns
   * what was moved and what is to be done next.
   */
  moveStorage(opened: OpenedInstance, to: "store" | "folder"): Promise<object>;
}

/** Registers `migrate-storage`. */
export function registerStorageCommands(
  program: Command,
  context: CliContext,
  { moveStorage }: StorageCommandDependencies,
): void {
  program
    .command("migrate-storage")
    .description("move the files of an instance to an object store, or back to one folder")
    .addOption(
      new Option("--to <place>", "where everything is to be")
        .choices(["store", "folder"])
        .makeOptionMandatory(),
    )
    .action(async ({ to }: { to: "store" | "folder" }) => {
      context.print(await moveStorage(await context.open(), to));
    });
}
