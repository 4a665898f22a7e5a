import type { UserContent } from "ai";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import {
  type UntrustedDataQuoter,
  makeUntrustedDataQuoter,
} from "../agent/prompts/untrusted-data.ts";
import { slugOf } from "../projects/slug.ts";
import { type Asker, makeAsker } from "./ask-model.ts";
import { type Drafter, makeDrafter } from "./drafter.ts";
import { flagsOfRecord, readKnown } from "./facts/flags.ts";
import { withoutOwnLinks } from "./links.ts";
import { type Given, outlineOf } from "./outline.ts";
import type { PictureFile } from "./pictures.ts";
import {
  type Background,
  briefing,
  designerInstructions,
  lookerInstructions,
  pictureList,
  seenPictures,
} from "./prompts.ts";
import { picturesForm, type PictureWords, type RecordAnswer, recordForm } from "./record-form.ts";
import type { BuildProjectBody, BuiltFields, BuiltProject } from "./schema.ts";
import { type Call, type DesignOptions, presentRecord, saidOf, withinTime } from "./work.ts";

export interface Designer extends Drafter {
  /**
   * A whole record from a brief and stored pictures; without a model, or when asked for, an outline.
   * Nothing is stored. Throws AppError: `validation_failed` (a picture that is not stored),
   * `not_found` (the project), `throttled` (a ceiling), `upstream_failed`.
   */
  build(body: BuildProjectBody, call: Call): Promise<BuiltProject>;
}

/** So many pictures go along with the brief; more are looked at in groups before. */
const fewPictures = 6;
const groupSize = 4;
const groupsAtOnce = 3;

/** What goes on in one request. */
interface Job {
  given: Given;
  background: Background;
  fence: UntrustedDataQuoter;
  asker: Asker;
  signal: AbortSignal;
  onProgress: Call["onProgress"];
  notes: string[];
}

type Content = Exclude<UserContent, string>;

const counted = (count: number): string => `${count} ${count === 1 ? "picture" : "pictures"}`;

function filePart({ mediaType, bytes }: PictureFile): Content[number] {
  return { type: "file", mediaType, data: bytes };
}

/** The pictures as parts of a message; one that can't be read is said to be missing at its place. */
async function pictureParts(
  { given, notes }: Job,
  read: DesignOptions["pictures"]["read"],
  from = 0,
  to = given.pictures.length,
): Promise<Content> {
  const parts = await mapConcurrently(given.pictures.slice(from, to), 4, async (picture) => {
    try {
      return filePart(await read(picture));
    } catch {
      notes.push(`${picture.originalName} could not be looked at.`);
      return { type: "text", text: "(This picture can't be shown.)" } as const;
    }
  });
  return parts.flatMap((part, i) => [{ type: "text", text: `Picture ${i + 1}:` }, part]);
}

/** Captions and alts of many pictures, a group at a time. */
async function lookInGroups(
  job: Job,
  read: DesignOptions["pictures"]["read"],
): Promise<PictureWords[]> {
  const { given, fence, asker, signal } = job;
  const total = given.pictures.length;
  let done = 0;
  const starts = Array.from({ length: Math.ceil(total / groupSize) }, (_, i) => i * groupSize);
  const groups = await mapConcurrently(starts, groupsAtOnce, async (from) => {
    const to = Math.min(total, from + groupSize);
    const text = `${briefing(given, job.background, fence)}\n\n${pictureList(given, fence, from, to)}`;
    const { pictures } = await asker.ask({
      instructions: lookerInstructions(fence),
      content: [{ type: "text", text }, ...(await pictureParts(job, read, from, to))],
      form: picturesForm,
      signal,
    });
    done += to - from;
    const title = `Looked at ${done} of ${counted(total)}`;
    job.onProgress({ step: "look", title, done, total });
    return Array.from({ length: to - from }, (_, i) => pictures[i] ?? { caption: "", alt: "" });
  });
  return groups.flat();
}

async function write(
  job: Job,
  content: Content,
  title = "Writing the page",
): Promise<RecordAnswer> {
  job.onProgress({ step: "write", title });
  return job.asker.ask({
    instructions: designerInstructions(job.fence),
    content,
    form: recordForm,
    signal: job.signal,
    onRepair: () =>
      job.onProgress({ step: "repair", title: "Putting right what didn’t fit the record" }),
  });
}

async function writeUnseen(job: Job): Promise<RecordAnswer> {
  const text = briefing(job.given, job.background, job.fence);
  if (job.given.pictures.length === 0) return write(job, [{ type: "text", text }]);
  job.notes.push(
    "The model can’t see pictures: the page is written from the brief, and the captions from file names.",
  );
  const unseen = `${text}\n\n${pictureList(job.given, job.fence)}\nYou can't see them: give no gallery.`;
  const { gallery: _, ...answer } = await write(job, [{ type: "text", text: unseen }]);
  return { ...answer, gallery: [] };
}

async function writeSeen(job: Job, read: DesignOptions["pictures"]["read"]): Promise<RecordAnswer> {
  const { given, fence } = job;
  const total = given.pictures.length;
  const text = briefing(given, job.background, fence);
  if (total > fewPictures) {
    const seen = await lookInGroups(job, read);
    const answer = await write(job, [
      { type: "text", text: `${text}\n\n${seenPictures(seen, fence)}` },
    ]);
    return { ...answer, gallery: seen };
  }
  const parts = await pictureParts(job, read);
  const about = `${text}\n\n${pictureList(given, fence)}`;
  const title = `Looking at ${counted(total)} and writing the page`;
  return write(job, [{ type: "text", text: about }, ...parts], title);
}

/** Whether a provider refused the request itself, as those do whose models see no pictures. */
function refusesPictures(error: unknown): boolean {
  const status =
    error instanceof AppError ? (error.details as { provider?: unknown })?.provider : null;
  return [400, 404, 413, 415, 422].includes(Number(status));
}

async function answerOf(job: Job, read: DesignOptions["pictures"]["read"]): Promise<RecordAnswer> {
  if (job.given.pictures.length === 0 || job.asker.seesPictures === false) return writeUnseen(job);
  try {
    return await writeSeen(job, read);
  } catch (error) {
    if (job.asker.seesPictures !== null || !refusesPictures(error)) throw error;
    return writeUnseen(job);
  }
}

/** The gallery: the addresses are the server's, by position, the words the model's where it gave some. */
function galleryOf(given: Given, words: readonly PictureWords[]): BuiltFields["gallery"] {
  const named = words.length === 0 ? outlineOf(given).gallery : null;
  return given.pictures.map(({ src, alt: own }, i) => {
    const { caption = "", alt = "" } = named?.[i] ?? words[i] ?? {};
    const text = alt === "" ? own : alt;
    return { src, caption, ...(text === "" ? {} : { alt: text }) };
  });
}

function recordOf(given: Given, made: RecordAnswer, body: string): BuiltFields {
  const { name, brief, category, present, reelUrl } = given;
  const categories = category
    ? [category, ...made.categories.filter((word) => word.toLowerCase() !== category.toLowerCase())]
    : made.categories;
  return {
    ...made,
    name,
    slug: present?.slug ?? slugOf(name),
    body,
    categories: categories.slice(0, 12),
    gallery: galleryOf(given, made.gallery),
    reelUrl: reelUrl === undefined ? (present?.reelUrl ?? null) : reelUrl,
    brief,
  };
}

function finish(job: Job, made: RecordAnswer): BuiltProject {
  const { given, notes, onProgress } = job;
  onProgress({ step: "check", title: "Checking numbers, dates and names against your brief" });
  const said = saidOf(given);
  const { text, removed } = withoutOwnLinks(made.body, said.join("\n"));
  if (removed > 0) notes.push("Addresses that you never gave were left out of the text.");
  const project = recordOf(given, made, text);
  // What its owner called a file is said too; a caption may repeat it.
  const known = readKnown([...said, ...given.pictures.map(({ originalName }) => originalName)]);
  return {
    project,
    outline: false,
    flags: flagsOfRecord(project, known),
    notes: [...new Set(notes)],
  };
}

function outlined(given: Given, isWanted: boolean): BuiltProject {
  const notes = isWanted ? [] : ["No model is set up: this is an outline made from your words."];
  return { project: outlineOf(given), outline: true, flags: [], notes };
}

/** The Web Designer of this instance, and its Drafter. It reads and answers; it changes nothing. */
export function makeDesigner(options: DesignOptions): Designer {
  return {
    ...makeDrafter(options),
    async build({ media, projectId, outline, ...body }, { signal, onProgress }) {
      const [present, pictures] = await Promise.all([
        presentRecord(options.db, projectId),
        options.pictures.find(media),
      ]);
      const given: Given = { ...body, pictures, present };
      onProgress({
        step: "read",
        title:
          pictures.length === 0
            ? "Reading your brief"
            : `Reading your brief and ${counted(pictures.length)}`,
      });
      const choice = outline ? null : await options.choice();
      if (choice === null) return outlined(given, outline === true);
      await options.ledger.assertOpen();
      const [voice, sources] = await Promise.all([options.voice(), options.sources("designer")]);
      const asker = makeAsker({ ...options, choice, purpose: "design" });
      const base = {
        given,
        background: { voice, sources },
        fence: makeUntrustedDataQuoter(),
        asker,
        onProgress,
      };
      return withinTime(options, signal, async (within) => {
        const job: Job = { ...base, signal: within, notes: [] };
        return finish(job, await answerOf(job, options.pictures.read));
      });
    },
  };
}
