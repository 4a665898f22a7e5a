import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import { writeFileAtomic } from "../../platform/files.ts";
import { currentAddress, type FormerAddress, listFormerAddresses } from "../media/swap-store.ts";
import { replaceAddresses } from "../projects/media-addresses.ts";
import { filesMentioning } from "../workspace/mentions.ts";

// A cropped or replaced image has another address. Projects follow at once; what the site's source
// names follows here, in the workspace of the rebuild that brings the new image to the site.

type Former = ReadonlyMap<string, FormerAddress>;

function widthsOf({ src, width, variants }: FormerAddress["media"]): string {
  const smaller = variants.filter((each) => each.width < width);
  return [...smaller, { src, width }].map((each) => `${each.src} ${each.width}w`).join(", ");
}

/** An object that names an image by its main address, with its new size and widths. */
function followed(value: unknown, former: Former): unknown {
  if (Array.isArray(value)) return value.map((each) => followed(each, former));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, followed(each, former)]);
  const next = Object.fromEntries(entries) as Record<string, unknown>;
  const { src } = value as { src?: unknown };
  const found = typeof src === "string" ? former.get(src) : undefined;
  if (found === undefined || found.height === null) return next;
  const { width, height } = found.media;
  if (typeof next["width"] === "number") next["width"] = width;
  if (typeof next["height"] === "number") next["height"] = height;
  if (typeof next["srcset"] === "string") next["srcset"] = widthsOf(found.media);
  return next;
}

/** The tag with the image's new size, where it has its former one. */
function resizeTag(tag: string, former: Former): string {
  const names = tag.match(/\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+/g) ?? [];
  const found = names.map((name) => former.get(name)).find((each) => each?.height);
  if (!found) return tag;
  const { width, height } = found.media;
  const set = (text: string, name: string, was: number | null, is: number) =>
    text.replace(new RegExp(`(\\s${name}=["'{]{0,2})${was}(?=["'}\\s/>])`), `$1${is}`);
  return set(set(tag, "width", found.width, width), "height", found.height, height);
}

/** A source file's text that names images by their present addresses. */
export function followText(path: string, text: string, former: Former): string {
  const addresses = new Map(
    Array.from(former, ([address, each]) => [address, currentAddress(each, each.media)] as const),
  );
  if (path.endsWith(".json")) {
    try {
      const indent = /^[[{]\n( +|\t)/.exec(text)?.[1] ?? 2;
      const next = JSON.stringify(followed(parseJson(text), former), null, indent);
      return replaceAddresses(next, addresses) + (text.endsWith("\n") ? "\n" : "");
    } catch {
      // Broken by hand: the build reports it, the addresses follow anyway.
    }
  }
  const resized = text.replace(/<(?:img|Image)\s[^<>]{0,4000}>/g, (tag) => resizeTag(tag, former));
  return replaceAddresses(resized, addresses);
}

/** Lets the source in a workspace name images by their present addresses. */
export async function followReplacedMedia(db: Db, workspaceDir: string): Promise<void> {
  const listed = await listFormerAddresses(db);
  if (listed.length === 0) return;
  const former = new Map(listed.map((each) => [each.address, each]));
  for (const path of await filesMentioning(workspaceDir, [...former.keys()])) {
    const file = join(workspaceDir, path);
    const text = await readFile(file, "utf8");
    const next = followText(path, text, former);
    if (next !== text) await writeFileAtomic(file, next);
  }
}
