import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMedia } from "../media/store.ts";
import { type Answers, answers as answersSchema } from "./answers.ts";
import { readIdentity, sampleFiles } from "./apply-setup.ts";
import { readContentFiles } from "./content-files.ts";
import type { SetupView } from "./schema.ts";
import { listSampleProjects, setupForm } from "./setup-agent.ts";
import type { Portrait, SetupInput } from "./site-texts.ts";
import { findAnswers, findOpenForm, putAnswers } from "./store.ts";

export interface SetupDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  /** The content repository's folder, and the folder with the content as it is shipped. */
  content: string;
  templateDir: string;
}

/** Answers to keep; null forgets one. */
export type AnswersPatch = { [Name in keyof Answers]?: Answers[Name] | null | undefined };

/** What was answered so far; what an earlier program stored and this one doesn't take is left out. */
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
  return {
    answers: await readAnswers(db),
    site: readIdentity(present, shipped),
    sample: { files: sampleFiles(present, shipped), projects: projects.length },
    runId: await findOpenForm(db, setupForm),
  };
}

/** The stored image that an answer names. Throws `validation_failed` where there is none. */
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

/** Keeps answers for later, one by one. Throws `validation_failed` for an image that isn't there. */
export async function saveAnswers(deps: SetupDependencies, patch: AnswersPatch): Promise<void> {
  const { db, clock } = deps;
  if (patch.portrait) await findPortrait(db, patch.portrait);
  await db.transaction().execute(async (trx) => {
    const next: Record<string, unknown> = await readAnswers(trx);
    for (const [name, value] of Object.entries(patch)) {
      // No portrait is an answer; of all else null forgets what was said.
      if (value === undefined) continue;
      if (value === null && name !== "portrait") delete next[name];
      else next[name] = value;
    }
    await putAnswers(trx, next, isoTime(clock.now()));
  });
}

/** What a run of the set-up is given. Throws `validation_failed` where the portrait is gone. */
export async function readSetupInput(db: Db): Promise<SetupInput> {
  const { portrait, ...rest } = await readAnswers(db);
  if (portrait === undefined) return rest;
  return { ...rest, portrait: portrait === null ? null : await findPortrait(db, portrait) };
}
