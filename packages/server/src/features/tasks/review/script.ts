import { sha256Hex } from "../../../kit/hash.ts";
import { noteAddress } from "./link-target.ts";
import { type Tag, valueOf } from "./tags.ts";
import { fileAt, type ReadContext, shorten } from "./fingerprint.ts";

/** Types of `script` elements that browsers keep as data; all others count as code. */
const dataTypes = new Set([
  "application/ld+json",
  "application/json",
  "text/plain",
  "text/template",
  "text/x-template",
  "text/html",
]);
const javascript =
  /^(?:|(?:application|text)\/(?:x-)?(?:java|ecma)script(?:1\.[0-5])?|text\/(?:jscript|livescript))$/;

/** What a `script` element is: `classic`, `module` …, or `data:<type>` for what isn't executed. */
export function scriptMode(tag: Tag): string {
  const types = tag.attributes.filter(({ name }) => name === "type" || name.endsWith(":type"));
  const type = (types[0]?.value ?? "").trim().toLowerCase();
  if (types.length < 2 && dataTypes.has(type)) return `data:${type}`;
  return javascript.test(type) ? "classic" : type;
}

/** Notes the text of a `script` element that is executed. */
export function noteInline(text: string, mode: string, { sink }: ReadContext): void {
  if (text.trim() === "") return;
  const what = `a script in the page, “${shorten(text)}”`;
  sink({ kind: "script", key: `inline:${mode}:${sha256Hex(text)}`, what });
  if (!/<!--[^]*<script/i.test(text)) return;
  // Where such a script ends is told otherwise (HTML standard, 13.2.5.27 ff.).
  sink({ kind: "unread", key: `double:${sha256Hex(text)}`, what: "a script within a script" });
}

/**
 * Notes a script by its address and, when it lies on the site, by its bytes. `integrity` is what the
 * element says of the bytes of others.
 */
export function noteScriptAt(
  address: string,
  how: { mode: string; integrity?: string | undefined },
  place: ReadContext,
): void {
  const target = noteAddress(address, "script", place);
  if (target.to === "nothing" || target.to === "code") return;
  const what = `a script at ${shorten(address)}`;
  let name = shorten(address);
  if (target.to === "inside") {
    name = `${target.path}${target.search}#${fileAt(place, target.path)?.hash ?? "none"}`;
  } else if (target.to === "outside") name = `${target.href} ${how.integrity ?? ""}`;
  place.sink({ kind: "script", key: `script:${how.mode}:${name}`, what });
}

/** The type of a `link` to a script as a `script` element would have it. */
export function linkedMode(rel: string, tag: Tag): string | null {
  if (rel === "modulepreload") return "module";
  if (rel === "import" || rel === "serviceworker") return rel;
  const loads = rel === "preload" || rel === "prefetch" || rel === "prerender";
  const as = valueOf(tag, "as")?.trim().toLowerCase() ?? "";
  return loads && /script|worker|worklet/.test(as) ? `${rel}:${as}` : null;
}
