import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import { setAlt } from "../literal/alt.ts";
import type { LiteralWork } from "../literal/literal-worker.ts";
import type { Sources } from "../literal/nearest.ts";
import { readRecords } from "../literal/record-source.ts";
import { searchOf } from "../literal/scope.ts";
import { readSite } from "../literal/site-source.ts";
import type { AgentProject } from "../records.ts";
import { openJail } from "../tools/jail.ts";
import { findImagePlaces, type NewImage } from "./image-places.ts";
import type { InlineAnswer, InlineEdit, InlineTarget } from "./schema.ts";
import { findTextPlaces, nameOfPlace, writePlaces } from "./text-places.ts";

/*
 * What edits on the page do with the site's source. It runs in a worker: files and records may be of
 * any kind and as long as their limits allow.
 */

interface SiteInput {
  /** The folder of the content repository, or of a workspace. */
  root: string;
  limits: Limits["workspace"];
  /** The records that may be changed. */
  records: AgentProject[];
}

/** An edit with what it needs of the media library. */
export interface ResolvedEdit {
  edit: InlineEdit;
  /** The image that takes another's place; null where that is no longer stored. */
  image: NewImage | null;
}

export interface InlineWork extends Pick<LiteralWork, "changed" | "records"> {
  /** What was done, an edit each. */
  sentences: string[];
  /** The edits that can't be made, with the reasons. With any, nothing is to be written. */
  refused: { index: number; reason: string }[];
}

const composed =
  "Code or data generates this text, so it can't be edited here. Describe the change in the console.";
const unknownPlace =
  "The same text appears in several places, and Vitrine can't tell which one this is. Change all of them, or describe the change in the console.";

async function open({ root, limits, records }: SiteInput): Promise<Sources> {
  return { site: await readSite(await openJail(root, limits)), projects: readRecords(records) };
}

/** Why something can't be done, in words; throws what isn't a refusal. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "The site's source is nested too deeply to read.";
  if (!(error instanceof AppError)) throw error;
  return error.message.split("\n")[0] ?? "";
}

function refuse(reason: string): never {
  throw new AppError("validation_failed", reason);
}

/** A passage is found by rewriting it: with words that any place can take. */
const tryText = "Words";

function locateText(
  sources: Sources,
  target: Extract<InlineTarget, { kind: "text" }>,
): InlineAnswer {
  const after = target.before === tryText ? `${tryText} more` : tryText;
  const { here, nearest, all } = findTextPlaces(sources, { ...target, after });
  const [first] = nearest;
  if (first === undefined) return { canEdit: false, reason: composed };
  const where = nameOfPlace(here ?? first);
  return { canEdit: true, where, places: Math.max(all.length, 1), isHereKnown: here !== null };
}

type AltQuery = Pick<InlineTarget & { kind: "alt" }, "page" | "src">;

/** Sets alt text in memory: of the image on this page, or of all that show it. */
function writeAlt(
  sources: Sources,
  { page, src }: AltQuery,
  scope: InlineEdit["scope"],
  value: string,
) {
  const here = page.replace(/[?#].*$/s, "").replace(/(?<=.)\/$/, "");
  const wanted = { kind: scope } as const;
  const command = { kind: "alt", image: src, value, scope: wanted } as const;
  setAlt(sources, command, searchOf(sources.site, wanted, here), {});
}

function locateAlt(sources: Sources, target: AltQuery): InlineAnswer {
  const where = src(target.src);
  try {
    writeAlt(sources, target, "here", tryText);
    return { canEdit: true, where, places: 1, isHereKnown: true };
  } catch (error) {
    reasonOf(error);
  }
  try {
    writeAlt(sources, target, "everywhere", tryText);
    return { canEdit: true, where, places: 2, isHereKnown: false };
  } catch (error) {
    reasonOf(error);
    const reason =
      "Vitrine can't find where this image's alt text comes from. Describe the change in the console.";
    return { canEdit: false, reason };
  }
}

const src = (address: string): string => address.split("/").at(-1) ?? address;

function locateImage(sources: Sources, target: AltQuery): InlineAnswer {
  const { nearest, all } = findImagePlaces(sources, target);
  const [first] = nearest;
  if (first === undefined) {
    const reason =
      "Vitrine can't find where this image comes from, so it can't be replaced here. Attach the new image in the console and describe the change.";
    return { canEdit: false, reason };
  }
  return {
    canEdit: true,
    where: first.where,
    places: all.length,
    isHereKnown: nearest.length === 1,
  };
}

/** Where what an owner points at is edited, or why it can't be. Nothing is written. To be run in a worker. */
export async function locateInline(
  input: SiteInput & { target: InlineTarget },
): Promise<InlineAnswer> {
  const { target } = input;
  const sources = await open(input);
  try {
    if (target.kind === "text") return locateText(sources, target);
    return target.kind === "alt" ? locateAlt(sources, target) : locateImage(sources, target);
  } catch (error) {
    return { canEdit: false, reason: reasonOf(error) };
  }
}

const short = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 59).trimEnd()}…` : text;

function applyText(sources: Sources, edit: Extract<InlineEdit, { kind: "text" }>): string {
  const { here, nearest, all } = findTextPlaces(sources, edit);
  if (nearest.length === 0) {
    const isThere = findTextPlaces(sources, { ...edit, after: tryText }).nearest.length > 0;
    return refuse(
      isThere
        ? `“${short(edit.after)}” can't be written exactly in the Markdown around it. Use plain words, or describe the change in the console.`
        : `“${short(edit.before)}” is no longer there, or code generates it.`,
    );
  }
  const places = edit.scope === "everywhere" ? all : here === null ? [] : [here];
  if (places.length === 0) return refuse(unknownPlace);
  writePlaces(sources, places, edit.after);
  const names = [...new Set(places.map(nameOfPlace))].join(", ");
  return `Changed “${short(edit.before)}” to “${short(edit.after)}” (${names}).`;
}

function applyImage(
  sources: Sources,
  edit: Extract<InlineEdit, { kind: "image" }>,
  image: NewImage | null,
): string {
  if (image === null) return refuse("The new image is no longer stored. Drop it again.");
  const { nearest, all } = findImagePlaces(sources, edit);
  const places = edit.scope === "everywhere" ? all : nearest;
  if (places.length === 0)
    return refuse("The image is no longer where it was. Reload the page and try again.");
  if (edit.scope === "here" && places.length > 1) return refuse(unknownPlace);
  for (const place of places) place.replace({ ...image, alt: edit.alt });
  return `Replaced an image (${[...new Set(places.map(({ where }) => where))].join(", ")}).`;
}

function applyOne(sources: Sources, { edit, image }: ResolvedEdit): string {
  if (edit.kind === "text") return applyText(sources, edit);
  if (edit.kind === "image") return applyImage(sources, edit, image);
  writeAlt(sources, edit, edit.scope, edit.after);
  return `Set alt text to “${short(edit.after)}”.`;
}

/** Makes edits in memory, one after the other. Nothing is written. To be run in a worker. */
export async function applyInline(
  input: SiteInput & { edits: readonly ResolvedEdit[] },
): Promise<InlineWork> {
  const sources = await open(input);
  const sentences: string[] = [];
  const refused: InlineWork["refused"] = [];
  for (const [index, edit] of input.edits.entries()) {
    try {
      sentences.push(applyOne(sources, edit));
    } catch (error) {
      refused.push({ index, reason: reasonOf(error) });
    }
  }
  const { site, projects } = sources;
  return { sentences, refused, changed: site.changed(), records: projects.changed() };
}
