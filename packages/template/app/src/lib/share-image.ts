import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import snapshot from "@snapshot";
import site from "../content/site.json";
import { themeSelectors } from "./theme.ts";
import { isBuilt } from "./parts.ts";
import { categories, categoryPath, projectPath, projects } from "./records.ts";
import { canDraw, shareCard, shareFonts, type ShareText, shareSize } from "./share-card.ts";

/*
 * Which page has which image for link previews. One that is chosen in content/share.json comes first;
 * the others are drawn. A drawn image is addressed by what it is made of, so it never changes at its
 * address, and one that is published already is used again instead of drawn.
 */

/** A page and what its image says. */
interface SharePage {
  path: string;
  title: string;
  kind: string;
}

/** The image that other sites show for a link to a page; sizes in pixels, where they are known. */
interface LinkImage {
  src: string;
  alt?: string;
  width?: number;
  height?: number;
}

/** An image that this build draws. */
export interface ShareImage {
  key: string;
  text: ShareText;
}

const fallback = "/images/share.png";

interface PageTexts {
  title: string;
  heading: string;
}

/** By pattern and not by name: no page shows what the others say, so none is to seem made of it. */
const texts = import.meta.glob<PageTexts>("../content/*.json", { eager: true, import: "default" });

/** The images that were chosen in content/share.json, by the path of their page; null: none. */
const chosen = (texts["../content/share.json"] ?? {}) as Record<string, LinkImage | null>;

/** What content/<name>.json calls its page. */
function textsOf(name: string): PageTexts {
  const { title = "", heading = "" } = texts[`../content/${name}.json`] ?? {};
  return { title, heading };
}

/** A page with texts of its own: its claim as the title, unless that only says its name again. */
function textPage(path: string, name: string): SharePage {
  const { title, heading } = textsOf(name);
  return { path, title: heading, kind: heading === title ? "" : title };
}

const pages: SharePage[] = [
  { path: "/", title: textsOf("home").heading, kind: site.role },
  textPage("/about/", "about"),
  textPage("/changelog/", "changelog"),
  textPage("/contact/", "contact"),
  textPage("/projects/", "projects"),
  { path: "/resume/", title: textsOf("resume").title, kind: site.role },
  textPage("/services/", "services"),
  {
    path: "/services/website-design/",
    title: textsOf("website-design").heading,
    kind: textsOf("services").title,
  },
  ...categories.map(({ name }) => {
    return { path: categoryPath(name), title: name, kind: textsOf("projects").title };
  }),
  ...projects.map((project) => {
    const kind = [project.kind, project.period].filter((part) => part !== "").join(" · ");
    return { path: projectPath(project), title: project.name, kind };
  }),
].filter(({ path }) => isBuilt(path) && !chosen[path]?.src);

/** Text as the fonts can draw it: no pictographs, and single spaces. */
function drawable(text: string): string {
  const plain = text.replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f/gu, "");
  return plain.normalize("NFC").replace(/\s+/gu, " ").trim();
}

function hostOf(address: string): string {
  const { hostname } = new URL(address);
  return hostname.includes(".") && !/^[\d.]+$/.test(hostname) ? hostname : "";
}

const fonts = createHash("sha256").update(JSON.stringify(shareFonts)).digest("hex");
const siteName = drawable(site.name);
const host = hostOf(snapshot.site.baseUrl);

/** Stands for all that goes into an image: texts, places, colors and fonts. */
function keyOf(text: ShareText): string {
  const hash = createHash("sha256")
    .update(fonts)
    .update(JSON.stringify(shareCard(text, themeSelectors)));
  return hash.digest("hex").slice(0, 32);
}

const { published, out, most, keep } = SHARE_PICTURES;

/** Has an image that is published already in this build's output; false: there is none. */
function usePublished(key: string): boolean {
  const file = `${published}/${key}.png`;
  if (published === null || !existsSync(file)) return false;
  if (keep?.(`og/${key}.png`)) return true;
  mkdirSync(`${out}/og`, { recursive: true });
  copyFileSync(file, `${out}/og/${key}.png`);
  return true;
}

/** The pages that have an image of their own, and which images are to be drawn: `most` at most. */
function plan(): { byPath: Map<string, [key: string, ShareText]>; drawn: ShareImage[] } {
  const byPath = new Map<string, [string, ShareText]>();
  const fresh = new Map<string, ShareImage>();
  const used = new Set<string>();
  for (const page of pages) {
    const text = { title: drawable(page.title), kind: drawable(page.kind), name: siteName, host };
    if (text.title === "" || !canDraw(Object.values(text).join(""))) continue;
    const key = keyOf(text);
    if (!used.has(key) && !fresh.has(key)) {
      if (usePublished(key)) used.add(key);
      else if (fresh.size < most) fresh.set(key, { key, text });
      else continue;
    }
    byPath.set(page.path, [key, text]);
  }
  return { byPath, drawn: [...fresh.values()] };
}

const planned = plan();

/** What pages/og/[key].png.ts draws in this build. */
export const newShareImages: ShareImage[] = planned.drawn;

/** The image of a page for link previews: the chosen one, else the drawn one, else the site's own. */
export function shareImage(pathname: string): LinkImage {
  const own = chosen[pathname];
  if (own?.src) return own;
  const [key, text] = planned.byPath.get(pathname) ?? [];
  if (key === undefined || text === undefined) return { src: fallback, ...shareSize };
  const alt = [text.title, text.kind, text.name].filter((part) => part !== "").join(", ");
  return { src: `/og/${key}.png`, alt, ...shareSize };
}
