import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMedia } from "../media/store.ts";
import type { Settings } from "../settings/settings.ts";
import { ownerDefinition, readOwner } from "../settings/site-settings.ts";
import { type Answers, answers as answersSchema } from "./answers.ts";
import { readIdentity, sampleFiles, sampleName, siteLanguage } from "./apply-setup.ts";
import { readContentFiles } from "./content-files.ts";
import type { SetupView } from "./schema.ts";
import { listSampleProjects, setupForm } from "./setup-agent.ts";
import type { Portrait, SetupInput } from "./site-texts.ts";
import {
  findAnswers,
  findDismissed,
  findOpenForm,
  findPublishedForm,
  putAnswers,
  putDismissed,
} from "./store.ts";
import { writtenTexts } from "./written-texts.ts";

export interface SetupDependencies extends OwnerRename {
  db: Db;
  clock: Pick<Clock, "now">;
  /** The content repository's folder, and the folder with the shipped content. */
  content: string;
  templateDir: string;
}

/** What is needed to update the owner's name in the settings. */
export interface OwnerRename {
  settings: Pick<Settings, "read" | "write">;
  config: Pick<Config, "owner">;
  /** In the transaction that changes the owner: pages that show the name are rebuilt. */
  onOwnerChange(transaction: Db): Promise<unknown>;
  /** After that: processes that cache the name refresh it. */
  ownerChanged(): Promise<unknown>;
}

/**
 * Sets the owner's name to the answer, as long as it is the sample person's or the previous
 * answer's: emails, the history, and the admin pages show it.
 */
async function renameOwner(deps: SetupDependencies, name: string, former?: string): Promise<void> {
  const { settings, config, templateDir } = deps;
  const owner = await readOwner(settings, config);
  const sample = sampleName(await readContentFiles(templateDir));
  if (owner.name === name || ![sample, former].includes(owner.name)) return;
  const text = JSON.stringify({ ...owner, name });
  await settings.write([[ownerDefinition, text]], deps.onOwnerChange);
  await deps.ownerChanged();
}

/** Answers to store; null removes one. */
export type AnswersPatch = { [Name in keyof Answers]?: Answers[Name] | null | undefined };

/** The answers so far, without stored ones that this version doesn't accept. */
async function readAnswers(db: Db): Promise<Answers> {
  const stored = (await findAnswers(db)) ?? {};
  const known = Object.entries(stored).filter(
    ([name, value]) => answersSchema.partial().safeParse({ [name]: value }).success,
  );
  return Object.fromEntries(known);
}

export async function viewSetup(deps: SetupDependencies): Promise<SetupView> {
  const { db, content, templateDir } = deps;
  const [present, shipped] = await Promise.all([
    readContentFiles(content),
    readContentFiles(templateDir),
  ]);
  const projects = await listSampleProjects(db, templateDir);
  const answers = await readAnswers(db);
  const before = (await findPublishedForm(db, setupForm)) as SetupInput | null;
  const input = { ...answers, portrait: null };
  return {
    answers,
    language: siteLanguage(present),
    texts: writtenTexts({ present, shipped, before, input }),
    site: readIdentity(present, shipped),
    sample: { files: sampleFiles(present, shipped), projects: projects.length },
    isDismissed: await findDismissed(db),
    runId: await findOpenForm(db, setupForm),
  };
}

/** The stored image in an answer. Throws `validation_failed` if there is none. */
async function findPortrait(db: Db, answer: NonNullable<Answers["portrait"]>): Promise<Portrait> {
  const media = await findMedia(db, answer.mediaId);
  if (media === undefined || media.kind !== "image") {
    throw new AppError("validation_failed", "That image isn't in the library. Choose another.", {
      fields: { portrait: "isn't an image of the library" },
    });
  }
  const { src, width, height, variants } = media;
  return { src, width, height, variants, alt: answer.alt };
}

/** Stores answers one by one. Throws `validation_failed` for an image that doesn't exist. */
export async function saveAnswers(deps: SetupDependencies, patch: AnswersPatch): Promise<void> {
  const { db, clock } = deps;
  if (patch.portrait) await findPortrait(db, patch.portrait);
  const former = (await readAnswers(db)).name;
  await db.transaction().execute(async (trx) => {
    const next: Record<string, unknown> = await readAnswers(trx);
    for (const [name, value] of Object.entries(patch)) {
      // "No portrait" is an answer; for all others, null removes the answer.
      if (value === undefined) continue;
      if (value === null && name !== "portrait") delete next[name];
      else next[name] = value;
    }
    await putAnswers(trx, next, isoTime(clock.now()));
  });
  if (patch.name) await renameOwner(deps, patch.name, former);
}

/** Hides or shows open setup steps on the overview. */
export async function dismissSetup(deps: SetupDependencies, isDismissed: boolean): Promise<void> {
  await putDismissed(deps.db, isDismissed, isoTime(deps.clock.now()));
}

/** The input of a setup run. Throws `validation_failed` if the portrait was deleted. */
export async function readSetupInput(db: Db): Promise<SetupInput> {
  const { portrait, model: _, ...rest } = await readAnswers(db);
  if (portrait === undefined) return rest;
  return { ...rest, portrait: portrait === null ? null : await findPortrait(db, portrait) };
}
