import { sha256Hex } from "../../../kit/hash.ts";
import {
  noteAddress,
  parseLinkTarget,
  type LinkRole,
  fingerprintsOfTarget,
} from "./link-target.ts";
import { noteValue } from "./data.ts";
import { isExternalOrCode } from "./strings.ts";
import { linkedMode, noteScriptAt, scriptMode } from "./script.ts";
import { noteSheet, readStyle } from "./style.ts";
import { type Attribute, type Tag, valueOf } from "./tags.ts";
import { fileAt, type ReadContext, shorten } from "./fingerprint.ts";

/** Attributes with text or names, never addresses or code. */
const words = new Set(
  "alt title placeholder label summary abbr content class id name for rel type lang cite itemtype itemid itemprop usemap media sizes integrity nonce property typeof vocab prefix datetime pattern headers".split(
    " ",
  ),
);
/** Prefixes of namespaces, such as those of drawing programs. */
const vocabularies = /^(?:aria-|xmlns|(?:rdf|cc|dc|inkscape|sodipodi|sketch|serif|xsi|xml):)/;
/** Attributes that script libraries execute: Alpine, Vue, Angular, htmx, hyperscript, Svelte. */
const executed =
  /^(?:@|:|\*|\(|\[|_$|data-(?:on|ng|hx)-|(?:x|v|ng|hx|up)-|(?:data-on|on|bind|wire|hx-on):)/;

function isWords(name: string): boolean {
  return words.has(name) || vocabularies.test(name);
}

const addressRoles: Readonly<Record<string, LinkRole>> = {
  src: "load",
  srcset: "load",
  imagesrcset: "load",
  poster: "load",
  background: "load",
  lowsrc: "load",
  dynsrc: "load",
  icon: "load",
  manifest: "load",
  action: "form",
  formaction: "form",
  ping: "connect",
  attributionsrc: "connect",
  longdesc: "link",
};
const lists = new Set(["srcset", "imagesrcset", "ping", "attributionsrc"]);
const frames = new Set(["iframe", "frame", "fencedframe", "portal"]);
const pluginParts = new Set(["data", "src", "code", "codebase", "archive", "classid", "object"]);
const plugins = new Set(["object", "embed", "applet"]);
/** Elements whose `href` is loaded; that of all others is a link. */
const loading = new Set(
  "image use feimage pattern lineargradient radialgradient filter textpath mpath tref cursor font-face-uri color-profile".split(
    " ",
  ),
);

function noteList(value: string, role: LinkRole, place: ReadContext): void {
  noteAddress(value, role, place);
  for (const part of value.split(/[\s,]+/)) {
    if (isExternalOrCode(part)) noteAddress(part, role, place);
  }
}

/** Paths that the program itself handles: forms that post there have effects. */
const programPaths = /^\/(?:admin|api|devconsole|_preview)(?:\/|$)/i;

function noteForm(value: string, place: ReadContext): void {
  const target = noteAddress(value, "form", place);
  if (target.to !== "inside" || !programPaths.test(target.path)) return;
  const what = `sends forms to ${target.path}`;
  place.sink({ kind: "origin", key: `origin:form:${target.path}${target.search}`, what });
}

function notePlugin(tag: Tag, place: ReadContext): void {
  const parts = tag.attributes.filter(({ name }) => pluginParts.has(name));
  const names = parts.map(({ value }) => {
    const target = parseLinkTarget(value, place);
    return target.to === "inside" ? (fileAt(place, target.path)?.hash ?? target.path) : value;
  });
  const what = `an <${tag.name}> element with ${shorten(parts.map(({ value }) => value).join(" ")) || "nothing"}`;
  place.sink({ kind: "script", key: `plugin:${tag.name}:${sha256Hex(names.join("\n"))}`, what });
  for (const { value } of parts) noteAddress(value, "frame", place);
}

function noteFrame(value: string, tag: Tag, place: ReadContext): void {
  const target = parseLinkTarget(value, place);
  // The permissions of an external frame belong to it.
  const rights = ["sandbox", "allow"].map((name) => valueOf(tag, name)?.trim() ?? "-").join("|");
  for (const fingerprint of fingerprintsOfTarget(target, "frame")) {
    place.sink({
      ...fingerprint,
      key: `${fingerprint.key}:${target.to === "outside" ? rights : ""}`,
    });
  }
}

function noteLink(tag: Tag, href: string, place: ReadContext): void {
  const rels = (valueOf(tag, "rel") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  for (const rel of rels.length > 0 ? rels : [""]) {
    const mode = linkedMode(rel, tag);
    if (mode !== null) noteScriptAt(href, { mode, integrity: valueOf(tag, "integrity") }, place);
    else if (rel === "stylesheet") noteSheet(href, place);
    else noteAddress(href, linkRole(rel, tag), place);
  }
}

function linkRole(rel: string, tag: Tag): LinkRole {
  if (rel === "canonical" || rel === "amphtml") return "canonical";
  if (rel === "preconnect" || rel === "dns-prefetch") return "connect";
  if (/^(?:alternate|author|help|license|me|next|prev|search|shortlink|bookmark)$/.test(rel)) {
    return "link";
  }
  return rel === "preload" && /style/i.test(valueOf(tag, "as") ?? "") ? "style" : "load";
}

const harmlessEquivs =
  /^(?:refresh|content-security-policy(?:-report-only)?|content-type|content-language|x-ua-compatible|)$/;

function noteMeta(tag: Tag, place: ReadContext): void {
  const content = valueOf(tag, "content") ?? "";
  const equiv = valueOf(tag, "http-equiv")?.trim().toLowerCase();
  const declared = equiv === "content-type" ? content : "";
  const charset = valueOf(tag, "charset") ?? /charset\s*=\s*["']?([^\s"';]+)/i.exec(declared)?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset.trim())) {
    const what = `the character encoding ${shorten(charset)}`;
    place.sink({ kind: "unread", key: `charset:${charset}`, what });
  }
  if (equiv === "refresh") noteRefresh(content, place);
  if (equiv?.startsWith("content-security-policy")) {
    for (const part of content.split(/[\s;,]+/)) {
      const host = /^[a-z][a-z0-9+.-]*:\/\//i.test(part) || /^[\w*-]+(?:\.[\w-]+)+/.test(part);
      if (host) noteAddress(/:\/\//.test(part) ? part : `https://${part}`, "connect", place);
    }
  }
  if (equiv !== undefined && !harmlessEquivs.test(equiv)) {
    const what = `a header in the page (${shorten(equiv)})`;
    place.sink({ kind: "script", key: `header:${equiv}:${content}`, what });
  }
  const name = valueOf(tag, "name") ?? valueOf(tag, "property") ?? "";
  if (/verif|domain/i.test(name)) {
    const what = `lets someone claim ownership of the site with ${shorten(name)}`;
    place.sink({ kind: "origin", key: `owner:${name.toLowerCase()}:${content}`, what });
  }
  noteValue(content, place);
}

function noteRefresh(content: string, place: ReadContext): void {
  const what = `an automatic redirect or reload, “${shorten(content)}”`;
  place.sink({ kind: "script", key: `refresh:${place.path}:${content.trim()}`, what });
  const address = /^[\s\d.]*[;,\s]*(?:url\s*=\s*)?["']?([^]*)$/i.exec(content)?.[1] ?? "";
  noteAddress(address.replace(/["'][^]*$/, ""), "refresh", place);
}

function noteBase(href: string, place: ReadContext): void {
  const what = `a different base for addresses (<base>), ${shorten(href)}`;
  place.sink({ kind: "script", key: `base:${place.path}:${href.trim()}`, what });
  noteAddress(href, "base", place);
}

/** Animations write a value to another attribute. */
function noteAnimation({ name, value }: Attribute, place: ReadContext): void {
  if (name === "attributename" && /^\s*on/i.test(value)) {
    place.sink({
      kind: "script",
      key: `animated:${value.trim()}`,
      what: "an event handler set by an animation",
    });
  }
  if (!/^(?:to|from|by|values)$/.test(name)) return;
  for (const part of [value, ...value.split(";")]) noteValue(part, place);
}

function noteOther({ name, value }: Attribute, place: ReadContext): void {
  if (isWords(name)) return;
  noteValue(value, place);
  if (/^(?:component|renderer|before-hydration)-url$/.test(name)) {
    noteScriptAt(value, { mode: "island" }, place);
  }
}

/** What an attribute adds regardless of its element. */
function noteAnywhere({ name, value }: Attribute, place: ReadContext): void {
  if (/^on./.test(name) || executed.test(name)) {
    const what = `an ${name} handler, “${shorten(value)}”`;
    place.sink({ kind: "script", key: `handler:${name}:${sha256Hex(value)}`, what });
  }
  const styles = value.includes("(") && /\\|url|image|src/i.test(value) && !isWords(name);
  if (name === "style" || styles) readStyle(value, place);
}

function noteHref(tag: Tag, value: string, local: string, place: ReadContext): void {
  if (local === "link") return noteLink(tag, value, place);
  if (local === "base") return noteBase(value, place);
  if (local === "script") return noteScriptAt(value, { mode: scriptMode(tag) }, place);
  const target = noteAddress(value, loading.has(local) ? "load" : "link", place);
  if (local === "use" && target.to === "media") {
    place.sink({
      kind: "script",
      key: `use:${sha256Hex(value)}`,
      what: "a drawing in a data: address, used as a part of the page",
    });
  }
}

/** Records what an element adds by its name and attributes. */
export function noteElement(tag: Tag, place: ReadContext): void {
  // In XML, names can have prefixes.
  const local = tag.name.slice(tag.name.lastIndexOf(":") + 1);
  if (plugins.has(local)) notePlugin(tag, place);
  if (local === "meta") noteMeta(tag, place);
  for (const found of tag.attributes) {
    const name = found.name.slice(found.name.lastIndexOf(":") + 1);
    const { value } = found;
    noteAnywhere(found, place);
    if (name === "href") noteHref(tag, value, local, place);
    else if (name === "src" && local === "script") {
      const integrity = valueOf(tag, "integrity");
      noteScriptAt(value, { mode: scriptMode(tag), integrity }, place);
    } else if (name === "src" && frames.has(local)) noteFrame(value, tag, place);
    else if (name === "action" || name === "formaction") noteForm(value, place);
    else if (lists.has(name)) noteList(value, addressRoles[name] ?? "load", place);
    else if (Object.hasOwn(addressRoles, name)) {
      noteAddress(value, addressRoles[name] ?? "load", place);
    } else if (name === "attributename" || /^(?:to|from|by|values)$/.test(name)) {
      noteAnimation(found, place);
    } else noteOther(found, place);
  }
}
