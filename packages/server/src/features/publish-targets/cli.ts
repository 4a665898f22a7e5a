import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { Target } from "./schema.ts";
import type { Targets } from "./targets.ts";

export interface TargetCommandsDependencies {
  openTargets(opened: OpenedInstance): Targets;
}

/** The target with this ID or name. Throws `not_found`. */
async function findByText(targets: Targets, text: string): Promise<Target> {
  const { items } = await targets.list();
  const found = items.find(({ id, name }) => String(id) === text || name === text);
  if (found) return found;
  const names = items.map(({ name }) => name).join(", ");
  const hint = names === "" ? "There are none." : `Publish targets are: ${names}.`;
  throw new AppError("not_found", `This publish target doesn’t exist. ${hint}`);
}

/** Registers `publish-targets`, `send-to-target`, and `test-target`. */
export function registerTargetCommands(
  program: Command,
  context: CliContext,
  { openTargets }: TargetCommandsDependencies,
): void {
  const open = async () => openTargets(await context.open());
  program
    .command("publish-targets")
    .description("list the publish targets and what was sent to them")
    .action(async () => {
      const { items, release } = await (await open()).list();
      if (items.length > 0) context.print({ release, targets: items });
      else context.printNothingToDo({ release, targets: items });
    });
  program
    .command("send-to-target <target>")
    .description("have the runner send the live release to a publish target now")
    .option("--everything", "send also what the target has already", false)
    .action(async (text: string, { everything }: { everything: boolean }) => {
      const targets = await open();
      const { id } = await findByText(targets, text);
      context.print(await targets.send(id, { everything }));
    });
  program
    .command("test-target <target>")
    .description("connect to a publish target as a delivery would, without sending the site")
    .action(async (text: string) => {
      const targets = await open();
      const { id } = await findByText(targets, text);
      context.print(await targets.test(id));
    });
}
