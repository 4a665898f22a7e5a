import { isMediaName } from "../../folder/media-names.ts";

/** What a conversion to Markdown knows of its file, and notes. */
export interface MarkupContext {
  /** Names that an MDX file imports files by. */
  imports: ReadonlyMap<string, string>;
  /** The front matter, for what a text takes from it. */
  values: ReadonlyMap<string, unknown>;
  isMdx: boolean;
  /** Whether an address leads to a file of the folder. */
  isThere(address: string): boolean;
  /** Notes something that Markdown can't hold, by its name. */
  leaveOut(what: string): void;
}

const namedEntities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** A text with the usual entities of HTML as the characters that they stand for. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,6}));/gi,
    (whole, dec, hex, name) => {
      const code = dec ? Number(dec) : hex ? Number.parseInt(hex, 16) : 0;
      if (code > 31 && code < 0x11_00_00) return String.fromCodePoint(code);
      return namedEntities[String(name).toLowerCase()] ?? whole;
    },
  );
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** An image in Markdown; a caption becomes its title. */
export function imageMarkdown(address: string, alt = "", caption = ""): string {
  const target = /[\s()<>]/.test(address)
    ? `<${address.replace(/[<>\n]/g, encodeURIComponent)}>`
    : address;
  const words = oneLine(alt).replace(/[[\]]/g, "\\$&");
  const title = oneLine(caption).replace(/"/g, "'");
  return `![${words}](${target}${title === "" ? "" : ` "${title}"`})`;
}

const youtube =
  /^(?:https?:)?\/\/(?:www\.|m\.|music\.)?(?:youtube(?:-nocookie)?\.com\/(?:(?:embed|v|shorts|live)\/|watch\?(?:[^#\s]{0,200}&)?v=)|youtu\.be\/)([\w-]{5,40})/i;
const vimeo =
  /^(?:https?:)?\/\/(?:www\.|player\.)?vimeo\.com\/(?:video\/|channels\/[\w-]{1,60}\/)?(\d{5,40})/i;

/** The service and the id that the address of a video has; null for other addresses. */
function videoOf(address: string): { service: string; id: string } | null {
  for (const [service, pattern] of Object.entries({ youtube, vimeo })) {
    const id = pattern.exec(address)?.[1];
    if (id !== undefined) return { service, id };
  }
  return null;
}

/** A link to a video on another service, by its address, or by the service and its id there. */
export function videoLink(service: string, idOrAddress: string): string | null {
  const found = videoOf(idOrAddress.trim());
  const { service: name, id } = found ?? { service, id: idOrAddress.trim() };
  if (!/^[\w-]{5,40}$/.test(id)) return null;
  if (/youtube/i.test(name)) return `[Video on YouTube](https://www.youtube.com/watch?v=${id})`;
  return /vimeo/i.test(name) ? `[Video on Vimeo](https://vimeo.com/${id})` : null;
}

/** The text that a dotted name such as `page.image` or `frontmatter.title` has in the front matter. */
export function frontMatterText(name: string, { values }: MarkupContext): string | null {
  const parts = name.replace(/^(?:page|post|frontmatter|this|props|data)\./, "").split(".");
  let value: unknown = values.get(parts[0] ?? "");
  for (const part of parts.slice(1)) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined;
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** The addresses of images and videos in an expression: texts, and names of what was imported. */
export function mediaInExpression(expression: string, context: MarkupContext): string[] {
  const found: string[] = [];
  for (const [, quoted, name] of expression.matchAll(
    /["'`]([^"'`\n]{1,500})["'`]|([A-Za-z_$][\w$.]*)/g,
  )) {
    if (quoted !== undefined) {
      if (isMediaName(quoted.replace(/[?#].*$/, ""))) found.push(quoted);
    } else if (name !== undefined) {
      const text =
        context.imports.get(name.replace(/\.(?:src|default)$/, "")) ??
        frontMatterText(name, context);
      if (text && isMediaName(text)) found.push(text);
    }
  }
  return [...new Set(found)];
}
