import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import { type AgentKind, sourceAgent } from "./schema.ts";
import { sourcesFor } from "./sources.ts";

const kinds = sourceAgent.exclude(["all"]);

function agentKind(text: string): AgentKind {
  const kind = kinds.safeParse(text);
  if (kind.success) return kind.data;
  throw new AppError("bad_request", `The agent is one of ${kinds.options.join(", ")}.`);
}

/** Registers `resources AGENT`: what the owner wants one kind of agent to go by. */
export function registerResourceCommands(program: Command, context: CliContext): void {
  program
    .command("resources <agent>")
    .description(`the enabled sources of an agent: ${kinds.options.join(", ")}`)
    .action(async (text: string) => {
      const agent = agentKind(text);
      const { database } = await context.open();
      const sources = await sourcesFor(database.db, agent);
      if (sources.length > 0) context.print({ agent, sources });
      else context.printNothingToDo({ agent, sources });
    });
}
