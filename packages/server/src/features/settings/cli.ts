import { join } from "node:path";
import type { Command } from "commander";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { Db } from "../../platform/db/connect.ts";
import { AppError } from "../../kit/errors.ts";
import { dropOldKeys, type KeyringStore, rotateSettingsKey } from "./keys/rotation.ts";
import { bindKey } from "./model-setting.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import { findDefinition, settingDefinitions } from "./all-settings.ts";
import { makeSettings, modelKeyDefinition, readModel, type Settings } from "./settings.ts";

/** A key belongs to the selected model; without one, its provider would be unknown. */
async function readValue(
  context: CliContext,
  settings: Settings,
  definition: SettingDefinition,
): Promise<string> {
  const input = await context.readSecret(definition.name);
  if (definition !== modelKeyDefinition) return input;
  const { config } = await context.open();
  const model = (await readModel(settings)) ?? config.model;
  if (model) return bindKey(input, model);
  throw new AppError(
    "invalid_state",
    "Choose the model first. The API key belongs to its provider.",
  );
}

async function openSettings(context: CliContext): Promise<Settings> {
  const { database, keys } = await context.open();
  return makeSettings({ db: database.db, keyring: keys.settings, clock: context.clock });
}

/** What the commands of settings do with other parts of the program. */
export interface SettingCommandOptions {
  /** Called in transactions that change what the site's pages show. */
  onSiteChange(transaction: Db, reason: string): Promise<unknown>;
  /** Opens the keys of a site that all nodes share; null if they are only in its folder. */
  openSharedKeyring?(
    opened: OpenedInstance,
  ): Promise<(KeyringStore & { close(): Promise<void> }) | null>;
}

/** Registers `rotate-settings-key`. */
function registerRotation(
  program: Command,
  context: CliContext,
  { openSharedKeyring }: SettingCommandOptions,
): void {
  program
    .command("rotate-settings-key")
    .description("encrypt the stored secrets with a new key and keep the old one")
    .option("--drop-old", "only remove old keys that are no longer used")
    .action(async (options: { dropOld?: true }) => {
      const opened = await context.open();
      const { config, database } = opened;
      const { paths } = config;
      const keyring = await openSharedKeyring?.(opened);
      const deps = {
        ...(keyring && { keyring }),
        db: database.db,
        keysDir: paths.keys,
        lockFile: join(paths.data, "settings-key.lock"),
        now: context.clock.now(),
      };
      try {
        if (!options.dropOld) return context.print(await rotateSettingsKey(deps));
        const response = await dropOldKeys(deps);
        if (response.dropped.length > 0) context.print(response);
        else context.printNothingToDo(response);
      } finally {
        await keyring?.close();
      }
    });
}

/**
 * Registers `setting list|get|set|unset` and `rotate-settings-key`. Values are read from a prompt
 * or stdin; secrets are never shown.
 */
export function registerSettingCommands(
  program: Command,
  context: CliContext,
  options: SettingCommandOptions,
): void {
  registerRotation(program, context, options);
  const follow = async (transaction: Db, { rebuild }: SettingDefinition) => {
    if (rebuild !== undefined) await options.onSiteChange(transaction, rebuild);
  };
  const setting = program.command("setting").description("read and change stored settings");
  setting
    .command("list")
    .description("list all settings; secrets are never shown, only whether they are set")
    .action(async () => {
      const settings = await openSettings(context);
      const views = await Promise.all(
        settingDefinitions.map(async (definition) =>
          Object.assign(await settings.view(definition), { description: definition.description }),
        ),
      );
      context.print({ settings: views });
    });
  setting
    .command("get <name>")
    .description("show one setting; a secret is never shown, only whether it is set")
    .action(async (name: string) => {
      const definition = findDefinition(name);
      context.print(await (await openSettings(context)).view(definition));
    });
  setting
    .command("set <name>")
    .description("save a value from a prompt or stdin")
    .action(async (name: string) => {
      const definition = findDefinition(name);
      const settings = await openSettings(context);
      const input = await readValue(context, settings, definition);
      await settings.set(definition, input, (transaction) => follow(transaction, definition));
      context.print(await settings.view(definition));
    });
  setting
    .command("unset <name>")
    .description("remove a saved value")
    .action(async (name: string) => {
      const definition = findDefinition(name);
      const settings = await openSettings(context);
      const removed = await settings.unset(definition, (trx) => follow(trx, definition));
      const response = { name: definition.name, removed };
      if (removed) context.print(response);
      else context.printNothingToDo(response);
    });
}
