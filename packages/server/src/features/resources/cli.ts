import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import { type AgentKind, sourceAgent } from "./schema.ts";
import { sourcesFor } from "./sources.ts";
import { addStarterSources } from "./starter-sources.ts";

const kinds = sourceAgent.exclude(["all"]);

function agentKind(text: string): AgentKind {
  const kind = kinds.safeParse(text);
  if (kind.success) return kind.data;
  throw new AppError("bad_request", `The agent must be one of ${kinds.options.join(", ")}.`);
}

/** Registers `resources AGENT`, which prints an agent's sources, and `add-starter-sources`. */
export function registerResourceCommands(program: Command, context: CliContext): void {
  program
    .command("resources <agent>")
    .description(`list an agent's enabled sources; agents: ${kinds.options.join(", ")}`)
    .action(async (text: string) => {
      const agent = agentKind(text);
      const { database } = await context.open();
      const sources = await sourcesFor(database.db, agent);
      if (sources.length > 0) context.print({ agent, sources });
      else context.printNothingToDo({ agent, sources });
    });
  program
    .command("add-starter-sources")
    .description("add the missing starter sources for all agents")
    .action(async () => {
      const { database } = await context.open();
      const added = await addStarterSources({ db: database.db, clock: context.clock });
      if (added > 0) context.print({ added });
      else context.printNothingToDo({ added });
    });
}
