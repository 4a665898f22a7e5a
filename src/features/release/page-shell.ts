import { readFile } from "node:fs/promises";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { isThemeScript } from "../../kit/theme-script.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { makeLiveReleases, type SiteFile } from "./site/live-release.ts";

/** A page of the site whose content comes from elsewhere. */
export interface PageShell {
  /** The page's own title, as text. */
  title: string;
  /** The whole page with this title (text) and this content (HTML that is safe already). */
  render(title: string, content: string): string;
}

export interface PageShells {
  /** The shell in the release that is live now; null when the owner's site has no such place. */
  read(): Promise<PageShell | null>;
  /** Whether everybody gets a page or file at this decoded path. */
  isPublic(path: string): Promise<boolean>;
}

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
/** What stands instead of the bytes from `start` to `end`. */
interface Cut {
  start: number;
  end: number;
  part: "title" | "content" | "nothing";
}

function elementsOf(node: Node): Element[] {
  const here = "tagName" in node ? [node] : [];
  const children = "childNodes" in node ? node.childNodes : [];
  return [...here, ...children.flatMap(elementsOf)];
}

/** The inside of an element, as places in the source; null for one that is not closed. */
function inside(element: Element | undefined, part: Cut["part"]): Cut | null {
  const { startTag, endTag } = element?.sourceCodeLocation ?? {};
  return startTag && endTag ? { start: startTag.endOffset, end: endTag.startOffset, part } : null;
}

function whole({ sourceCodeLocation: at }: Element): Cut[] {
  return at ? [{ start: at.startOffset, end: at.endOffset, part: "nothing" }] : [];
}

function textOf(element: Element | undefined): string {
  const texts = element?.childNodes.map((node) => ("value" in node ? node.value : "")) ?? [];
  return texts.join("");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Reads a page as the surroundings of other content. The place is the inside of the first element
 * with the attribute `mark`. Scripts are left out: where somebody types a password, none runs but
 * the one that is known to choose a theme.
 * Null where there is no such place.
 */
export function readShell(html: string, mark: string): PageShell | null {
  const elements = elementsOf(parse(html, { sourceCodeLocationInfo: true }));
  const place = elements.find(({ attrs }) => attrs.some(({ name }) => name === mark));
  const content = inside(place, "content");
  if (content === null) return null;
  const titleElement = elements.find(({ tagName }) => tagName === "title");
  const scripts = elements
    .filter((element) => element.tagName === "script" && !isThemeScript(textOf(element)))
    .flatMap(whole);
  const title = inside(titleElement, "title");
  const cuts = [content, ...(title ? [title] : []), ...scripts]
    .filter((cut) => cut === content || cut.end <= content.start || cut.start >= content.end)
    .toSorted((a, b) => a.start - b.start);
  return {
    title: textOf(titleElement).trim(),
    render(newTitle, newContent) {
      const parts = { title: escapeText(newTitle), content: newContent, nothing: "" };
      let at = 0;
      const pieces = cuts.flatMap(({ start, end, part }) => {
        const piece = html.slice(at, start);
        at = end;
        return [piece, parts[part]];
      });
      return pieces.join("") + html.slice(at);
    },
  };
}

/**
 * Shells out of the live release: the page at `address`, with the place that `mark` names. A page is
 * read once for as long as its bytes stay the same.
 */
export function makePageShells(options: {
  paths: Pick<InstancePaths, "current" | "releases">;
  /** `/account/` */
  address: string;
  /** `data-account` */
  mark: string;
}): PageShells {
  const { paths, address, mark } = options;
  const releases = makeLiveReleases(paths);
  let kept: { hash: string; shell: Promise<PageShell | null> } | undefined;

  function shellOf({ entry, path }: SiteFile): Promise<PageShell | null> {
    if (kept?.hash === entry.hash) return kept.shell;
    const shell = readFile(path, "utf8").then((html) => readShell(html, mark));
    const mine = { hash: entry.hash, shell };
    kept = mine;
    shell.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return shell;
  }

  return {
    async read() {
      const file = (await releases.current())?.files.get(address);
      return file?.page ? shellOf(file) : null;
    },
    async isPublic(path) {
      const files = (await releases.current())?.files;
      return files !== undefined && (files.has(path) || files.has(`${path}/`));
    },
  };
}
