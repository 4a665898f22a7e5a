import type { UserContent } from "ai";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import {
  type UntrustedDataQuoter,
  makeUntrustedDataQuoter,
} from "../agent/prompts/untrusted-data.ts";
import { slugOf } from "../projects/slug.ts";
import { type ModelClient, makeModelClient } from "./ask-model.ts";
import { type Drafter, makeDrafter } from "./drafter.ts";
import { flagsOfRecord, readKnownFacts } from "./facts/flags.ts";
import { removeOwnLinks } from "./links.ts";
import { type DesignInput, outlineOf } from "./outline.ts";
import type { ImageFile } from "./images.ts";
import {
  type Background,
  briefing,
  designerInstructions,
  imageDescriberInstructions,
  imageList,
  describedImages,
} from "./prompts.ts";
import { imagesForm, type ImageTexts, type RecordOutput, recordForm } from "./record-form.ts";
import type { BuildProjectBody, BuiltFields, BuiltProject } from "./schema.ts";
import {
  type DesignCall,
  type DesignDependencies,
  presentRecord,
  ownerTexts,
  withTimeout,
} from "./work.ts";

export interface Designer extends Drafter {
  /**
   * Creates a whole record from a brief and stored images; an outline without a model or on
   * request. Stores nothing. Throws AppError: `validation_failed` (an image that isn't stored),
   * `not_found` (the project), `throttled` (a limit), `upstream_failed`.
   */
  build(body: BuildProjectBody, call: DesignCall): Promise<BuiltProject>;
}

/** Up to this many images are sent with the brief; more are first described in groups. */
const maxInlineImages = 6;
const groupSize = 4;
const groupsAtOnce = 3;

/** The work on one request. */
interface Job {
  input: DesignInput;
  background: Background;
  quoter: UntrustedDataQuoter;
  model: ModelClient;
  signal: AbortSignal;
  onProgress: DesignCall["onProgress"];
  notes: string[];
}

type Content = Exclude<UserContent, string>;

const counted = (count: number): string => `${count} ${count === 1 ? "image" : "images"}`;

function filePart({ mediaType, bytes }: ImageFile): Content[number] {
  return { type: "file", mediaType, data: bytes };
}

/** The images as parts of a message; an unreadable one is replaced by a note. */
async function imageParts(
  { input, notes }: Job,
  read: DesignDependencies["images"]["read"],
  from = 0,
  to = input.images.length,
): Promise<Content> {
  const parts = await mapConcurrently(input.images.slice(from, to), 4, async (image) => {
    try {
      return filePart(await read(image));
    } catch {
      notes.push(`${image.originalName} couldn’t be viewed.`);
      return { type: "text", text: "(This image couldn't be read.)" } as const;
    }
  });
  return parts.flatMap((part, i) => [{ type: "text", text: `Image ${i + 1}:` }, part]);
}

/** Captions and alt texts for many images, one group at a time. */
async function describeImageGroups(
  job: Job,
  read: DesignDependencies["images"]["read"],
): Promise<ImageTexts[]> {
  const { input, quoter, model, signal } = job;
  const total = input.images.length;
  let done = 0;
  const starts = Array.from({ length: Math.ceil(total / groupSize) }, (_, i) => i * groupSize);
  const groups = await mapConcurrently(starts, groupsAtOnce, async (from) => {
    const to = Math.min(total, from + groupSize);
    const text = `${briefing(input, job.background, quoter)}\n\n${imageList(input, quoter, from, to)}`;
    const { images } = await model.ask({
      instructions: imageDescriberInstructions(quoter),
      content: [{ type: "text", text }, ...(await imageParts(job, read, from, to))],
      form: imagesForm,
      signal,
    });
    done += to - from;
    const title = `Looked at ${done} of ${counted(total)}`;
    job.onProgress({ step: "describe", title, done, total });
    return Array.from({ length: to - from }, (_, i) => images[i] ?? { caption: "", alt: "" });
  });
  return groups.flat();
}

async function write(
  job: Job,
  content: Content,
  title = "Writing the page",
): Promise<RecordOutput> {
  job.onProgress({ step: "write", title });
  return job.model.ask({
    instructions: designerInstructions(job.quoter),
    content,
    form: recordForm,
    signal: job.signal,
    onRepair: () =>
      job.onProgress({ step: "repair", title: "Correcting what doesn’t fit the project’s fields" }),
  });
}

async function writeUnseen(job: Job): Promise<RecordOutput> {
  const text = briefing(job.input, job.background, job.quoter);
  if (job.input.images.length === 0) return write(job, [{ type: "text", text }]);
  job.notes.push(
    "The model can’t see images, so the page is written from the brief and the captions from the file names.",
  );
  const unseen = `${text}\n\n${imageList(job.input, job.quoter)}\nYou can't see them: give no gallery.`;
  const { gallery: _, ...answer } = await write(job, [{ type: "text", text: unseen }]);
  return { ...answer, gallery: [] };
}

async function writeSeen(
  job: Job,
  read: DesignDependencies["images"]["read"],
): Promise<RecordOutput> {
  const { input, quoter } = job;
  const total = input.images.length;
  const text = briefing(input, job.background, quoter);
  if (total > maxInlineImages) {
    const seen = await describeImageGroups(job, read);
    const answer = await write(job, [
      { type: "text", text: `${text}\n\n${describedImages(seen, quoter)}` },
    ]);
    return { ...answer, gallery: seen };
  }
  const parts = await imageParts(job, read);
  const about = `${text}\n\n${imageList(input, quoter)}`;
  const title = `Looking at ${counted(total)} and writing the page`;
  return write(job, [{ type: "text", text: about }, ...parts], title);
}

/** Whether a provider refused the request itself, as those without image support do. */
function isImageRefusal(error: unknown): boolean {
  const status =
    error instanceof AppError ? (error.details as { provider?: unknown })?.provider : null;
  return [400, 404, 413, 415, 422].includes(Number(status));
}

async function writeRecord(
  job: Job,
  read: DesignDependencies["images"]["read"],
): Promise<RecordOutput> {
  if (job.input.images.length === 0 || job.model.supportsImages === false) return writeUnseen(job);
  try {
    return await writeSeen(job, read);
  } catch (error) {
    if (job.model.supportsImages !== null || !isImageRefusal(error)) throw error;
    return writeUnseen(job);
  }
}

/**
 * The gallery: addresses come from the server, by position, and texts from the model if it returned
 * any.
 */
function galleryOf(input: DesignInput, words: readonly ImageTexts[]): BuiltFields["gallery"] {
  const named = words.length === 0 ? outlineOf(input).gallery : null;
  return input.images.map(({ src, alt: own }, i) => {
    const { caption = "", alt = "" } = named?.[i] ?? words[i] ?? {};
    const text = alt === "" ? own : alt;
    return { src, caption, ...(text === "" ? {} : { alt: text }) };
  });
}

function recordOf(input: DesignInput, made: RecordOutput, body: string): BuiltFields {
  const { name, brief, category, present, reelUrl } = input;
  const categories = category
    ? [category, ...made.categories.filter((word) => word.toLowerCase() !== category.toLowerCase())]
    : made.categories;
  return {
    ...made,
    name,
    slug: present?.slug ?? slugOf(name),
    body,
    categories: categories.slice(0, 12),
    gallery: galleryOf(input, made.gallery),
    reelUrl: reelUrl === undefined ? (present?.reelUrl ?? null) : reelUrl,
    brief,
  };
}

function finish(job: Job, made: RecordOutput): BuiltProject {
  const { input, notes, onProgress } = job;
  onProgress({ step: "check", title: "Checking numbers, dates and names against your brief" });
  const ownerInput = ownerTexts(input);
  const { text, removed } = removeOwnLinks(made.body, ownerInput.join("\n"));
  if (removed > 0) notes.push("Links that you didn’t provide were left out of the text.");
  const project = recordOf(input, made, text);
  // The owner's file name is included, because a caption may repeat it.
  const knownFacts = readKnownFacts([
    ...ownerInput,
    ...input.images.map(({ originalName }) => originalName),
  ]);
  return {
    project,
    outline: false,
    flags: flagsOfRecord(project, knownFacts),
    notes: [...new Set(notes)],
  };
}

function outlined(input: DesignInput, isWanted: boolean): BuiltProject {
  const notes = isWanted
    ? []
    : ["No model is set up, so this is an outline made from your own words."];
  return { project: outlineOf(input), outline: true, flags: [], notes };
}

/** The Web Designer and the Drafter of this instance. They only read and answer. */
export function makeDesigner(deps: DesignDependencies): Designer {
  return {
    ...makeDrafter(deps),
    async build({ media, projectId, outline, ...body }, { signal, onProgress }) {
      const [present, images] = await Promise.all([
        presentRecord(deps.db, projectId),
        deps.images.find(media),
      ]);
      const input: DesignInput = { ...body, images, present };
      onProgress({
        step: "read",
        title:
          images.length === 0
            ? "Reading your brief"
            : `Reading your brief and ${counted(images.length)}`,
      });
      const choice = outline ? null : await deps.choice();
      if (choice === null) return outlined(input, outline === true);
      await deps.ledger.assertOpen();
      const [voice, sources] = await Promise.all([deps.voice(), deps.sources("designer")]);
      const model = makeModelClient({ ...deps, choice, purpose: "design" });
      const base = {
        input,
        background: { voice, sources },
        quoter: makeUntrustedDataQuoter(),
        model,
        onProgress,
      };
      return withTimeout(deps, signal, async (within) => {
        const job: Job = { ...base, signal: within, notes: [] };
        return finish(job, await writeRecord(job, deps.images.read));
      });
    },
  };
}
