import { Marked, Renderer, type Token } from "marked";
import { avifSourceOf, placeholderOf, sourcesOf } from "./images.ts";
import { slugify } from "./slug.ts";
import type { StoredImage } from "./snapshot.ts";

export interface Section {
  /** Fragment of the heading, unique on the page; empty for what stands before the first one. */
  id: string;
  heading: string;
  html: string;
}

/**
 * A project's body in sections, one for each heading of the first or second level.
 * Markdown comes from records: HTML in it is shown as text, links lead only to the web, to mail
 * and to this site, images come only from `/media/`. Room is kept for those that are `stored`.
 */
export function renderSections(source: string, stored: readonly StoredImage[] = []): Section[] {
  try {
    return readSections(source, stored);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Quotes or lists thousands deep in each other: one body must not keep the site from being built.
    return [{ id: "", heading: "", html: `<p>${escapeHtml(source)}</p>` }];
  }
}

function readSections(source: string, stored: readonly StoredImage[]): Section[] {
  const bySource = new Map(stored.map((image) => [image.src, image]));
  const marked = makeMarked((src) => bySource.get(src));
  const sections: { heading: string; tokens: Token[] }[] = [{ heading: "", tokens: [] }];
  for (const token of marked.lexer(source)) {
    if (token.type === "heading" && token.depth <= 2)
      sections.push({ heading: plainText(token.text), tokens: [] });
    else sections.at(-1)?.tokens.push(token);
  }
  // `main` is where the skip link leads.
  const taken = new Map<string, number>([["main", 1]]);
  return sections
    .map(({ heading, tokens }) => ({
      id: uniqueId(heading, taken),
      heading,
      html: marked.parser(tokens),
    }))
    .filter((section) => section.heading !== "" || section.html.trim() !== "");
}

// Browsers read `/\` as they do `//`: as the address of another site.
const safeAddress = /^(?:https?:\/\/|mailto:|\/(?![/\\])|#)/i;
const mediaAddress = /^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/;

/** How wide an image in the text is at most: the column in components/Body.astro. */
const columnSizes = "(min-width: 1056px) 720px, (min-width: 768px) 61vw, 92vw";

/** The attributes of an image, without its description, and with spaces before each. */
function imageAttributes(src: string, image: StoredImage | undefined): string {
  if (image === undefined) return ` src="${escapeHtml(src)}"`;
  const placeholder = placeholderOf(image);
  const attributes = {
    ...sourcesOf(image, columnSizes),
    width: image.width,
    height: image.height,
    ...(placeholder && { style: `background-image:url(${placeholder})` }),
  };
  return writeAttributes(attributes);
}

function writeAttributes(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
    .join("");
}

/** An image of the text, in lighter files for browsers that can show them. */
function imageHtml(src: string, alt: string, image: StoredImage | undefined): string {
  const attributes = imageAttributes(src, image);
  const html = `<img${attributes} alt="${escapeHtml(alt)}" loading="lazy" decoding="async">`;
  const avif = image && avifSourceOf(image, columnSizes);
  return avif ? `<picture><source${writeAttributes(avif)}>${html}</picture>` : html;
}

const makeMarked = (find: (src: string) => StoredImage | undefined) =>
  new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        const level = Math.min(6, Math.max(3, depth));
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      link({ href, title, tokens }) {
        const label = this.parser.parseInline(tokens);
        if (!safeAddress.test(href)) return label;
        const hint = title ? ` title="${escapeHtml(title)}"` : "";
        return `<a href="${escapeHtml(href)}"${hint}>${label}</a>`;
      },
      image({ href, text }) {
        if (!mediaAddress.test(href)) return escapeHtml(text);
        return imageHtml(href, text, find(href));
      },
      // A table wider than a telephone scrolls in its own box, which the keyboard can reach.
      table(token) {
        return `<div class="scroll" role="region" aria-label="Table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>`;
      },
      code(token) {
        return Renderer.prototype.code.call(this, token).replace("<pre>", '<pre tabindex="0">');
      },
    },
  });

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** A heading without its Markdown: it is shown as text. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|\*|`|~~)/g, "")
    .trim();
}

function uniqueId(heading: string, taken: Map<string, number>): string {
  if (heading === "") return "";
  const id = slugify(heading);
  const count = (taken.get(id) ?? 0) + 1;
  taken.set(id, count);
  return count === 1 ? id : `${id}-${count}`;
}
