import { sha256Hex } from "../../../kit/hash.ts";
import { noteAddress } from "./link-target.ts";
import { type Tag, valueOf } from "./tags.ts";
import { fileAt, type ReadContext, shorten } from "./fingerprint.ts";

/** Types of `script` elements that browsers treat as data; all others count as code. */
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

/** The kind of a `script` element: `classic`, `module` …, or `data:<type>` if it isn't executed. */
export function scriptMode(tag: Tag): string {
  const types = tag.attributes.filter(({ name }) => name === "type" || name.endsWith(":type"));
  const type = (types[0]?.value ?? "").trim().toLowerCase();
  if (types.length < 2 && dataTypes.has(type)) return `data:${type}`;
  return javascript.test(type) ? "classic" : type;
}

/** Records the text of an executed `script` element. */
export function noteInline(text: string, mode: string, { sink }: ReadContext): void {
  if (text.trim() === "") return;
  const what = `a script in the page, “${shorten(text)}”`;
  sink({ kind: "script", key: `inline:${mode}:${sha256Hex(text)}`, what });
  if (!/<!--[^]*<script/i.test(text)) return;
  // Such a script ends differently (HTML standard, 13.2.5.27 ff.).
  sink({ kind: "unread", key: `double:${sha256Hex(text)}`, what: "a script inside a script" });
}

/**
 * Records a script by its address and, if it is on the site, by its bytes. `integrity` is the
 * element's claim about external bytes.
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

/** The type that a `script` element would have for a `link` to a script. */
export function linkedMode(rel: string, tag: Tag): string | null {
  if (rel === "modulepreload") return "module";
  if (rel === "import" || rel === "serviceworker") return rel;
  const loads = rel === "preload" || rel === "prefetch" || rel === "prerender";
  const as = valueOf(tag, "as")?.trim().toLowerCase() ?? "";
  return loads && /script|worker|worklet/.test(as) ? `${rel}:${as}` : null;
}
