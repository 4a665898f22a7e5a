import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Marked, type Token, type Tokens } from "marked";

/** One Markdown file, rendered. */
export interface Document {
  /** Its path relative to the root, which is also its address. */
  path: string;
  title: string;
  html: string;
  /** The headings with their fragments and the text below them. */
  sections: { heading: string; id: string; text: string }[];
}

/** The documents by location, without examples of an owner's own Markdown. */
const patterns = ["*.md", "docs/**/*.md", "{bench,packages}/*/README.md", ".changeset/*.md"];
const isExample = (path: string) => path.startsWith("docs/examples/");

/** The paths of all documents below `root`, in order. */
export function findDocuments(root: string): string[] {
  return globSync(patterns, { cwd: root })
    .filter((path) => !isExample(path) && !path.includes("node_modules"))
    .toSorted();
}

/** Creates the same fragments for headings as GitHub does, so that links work in both places. */
export function makeSlugger(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** The text of Markdown without its markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "html") return "";
      if (token.type === "table") {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .flat()
          .map((cell) => plainText(cell.tokens))
          .join(" ");
      }
      if (token.type === "list") {
        return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(" ");
      }
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      return "text" in token ? String(token.text) : token.type === "space" ? " " : "";
    })
    .join("");
}

/** Reads and renders one document. */
function readDocument(root: string, path: string): Document {
  const markdown = new Marked({ gfm: true });
  const tokens = markdown.lexer(readFileSync(join(root, path), "utf8"));
  const slug = makeSlugger();
  const ids = new Map<Token, string>();
  const sections: Document["sections"] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plainText(token.tokens ?? []);
      const id = slug(heading);
      ids.set(token, id);
      sections.push({ heading, id, text: "" });
    } else {
      const section = sections.at(-1);
      if (section) section.text += `${plainText([token])} `;
    }
  }
  markdown.use({
    renderer: {
      heading(token) {
        const id = ids.get(token) ?? "";
        return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`;
      },
    },
  });
  const title = sections[0]?.heading ?? path;
  return { path, title, html: markdown.parser(tokens), sections };
}

/** Reads all documents below `root`; unchanged files come from a cache. */
export function makeDocumentReader(root: string): () => Document[] {
  const known = new Map<string, { mtimeMs: number; document: Document }>();
  return () =>
    findDocuments(root).map((path) => {
      const { mtimeMs } = statSync(join(root, path));
      const knownIds = known.get(path);
      if (knownIds?.mtimeMs === mtimeMs) return knownIds.document;
      const document = readDocument(root, path);
      known.set(path, { mtimeMs, document });
      return document;
    });
}
