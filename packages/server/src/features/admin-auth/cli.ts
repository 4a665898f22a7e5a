import type { Command } from "commander";
import type { CliContext } from "../../platform/cli.ts";
import { setAdminPassword, setAdminToken } from "./admin-secrets.ts";
import { createApiToken, listApiTokens, revokeApiToken, tokenScopes } from "./api-tokens.ts";

const wrongUsage = 2;

/**
 * Makes a command refuse arguments without repeating them: arguments appear in the shell's history
 * and the process list, where secrets must not.
 */
function refuseArguments(command: Command, advice: string): Command {
  return command
    .allowExcessArguments(true)
    .allowUnknownOption(true)
    .hook("preAction", (_program, action) => {
      if (action.args.length === 0) return;
      action.error(`error: ${action.name()} takes no arguments. ${advice}`, {
        code: "vitrine.secretArgument",
        exitCode: wrongUsage,
      });
    });
}

function registerTokenCommands(program: Command, context: CliContext): void {
  const token = program.command("api-token").description("create, list and revoke API tokens");
  token
    .command("create <name>", { isDefault: true })
    .description("create a token and show it once")
    .option("--scopes <list>", `what the token may do: ${tokenScopes.join(", ")}`, "read")
    .option("--expires <date>", "when it expires, such as 2027-01-31 (default: never)")
    .action(async (name: string, options: { scopes: string; expires?: string }) => {
      const { database } = await context.open();
      const scopes = options.scopes.split(/[\s,]+/).filter((scope) => scope !== "");
      const { expires } = options;
      const { clock } = context;
      context.print(await createApiToken({ db: database.db, clock, name, scopes, expires }));
    });
  token
    .command("list")
    .description("list all tokens, without their secrets")
    .action(async () => {
      const { database } = await context.open();
      context.print({ tokens: await listApiTokens(database.db) });
    });
  token
    .command("revoke <name>")
    .description("revoke a token immediately")
    .action(async (name: string) => {
      const { database } = await context.open();
      context.print(await revokeApiToken({ db: database.db, clock: context.clock, name }));
    });
}

/** Registers `set-admin-password`, `set-admin-token` and `api-token create|list|revoke`. */
export function registerAdminCommands(program: Command, context: CliContext): void {
  const { clock } = context;
  refuseArguments(
    program
      .command("set-admin-password")
      .description("set the admin password from a prompt or stdin and sign out all sessions"),
    "The password is read from a prompt or from stdin, never from the command line.",
  ).action(async () => {
    const { database } = await context.open();
    const password = await context.readSecret("New admin password", { confirm: true });
    context.print(await setAdminPassword({ db: database.db, clock, password }));
  });
  refuseArguments(
    program
      .command("set-admin-token")
      .description("create a new secret sign-in link, show it once and sign out all sessions"),
    "The link is generated and can't be chosen.",
  ).action(async () => {
    const { config, database } = await context.open();
    context.print(await setAdminToken({ db: database.db, clock, baseUrl: config.baseUrl }));
  });
  registerTokenCommands(program, context);
}
