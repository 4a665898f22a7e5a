import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { lookup } from "mrmime";
import { html, Markup } from "../../packages/server/src/kit/html.ts";
import { type Document, makeDocumentReader } from "./documents.ts";

const home = "README.md";
const assets = import.meta.dirname;

/** The groups of the navigation, by the location of documents. */
const groups: { name: string; has: (path: string) => boolean }[] = [
  { name: "Project", has: (path) => !path.includes("/") },
  { name: "Documentation", has: (path) => /^docs\/[^/]+$/.test(path) },
  { name: "Decisions", has: (path) => path.startsWith("docs/decisions/") },
  { name: "More", has: () => true },
];

const addressOf = (path: string) => `/${path}`;

function navigation(documents: readonly Document[], current: string): Markup {
  const left = new Set(documents);
  const lists = groups.map(({ name, has }) => {
    const members = [...left].filter(({ path }) => has(path));
    for (const member of members) left.delete(member);
    const links = members.map(({ path, title }) => {
      const mark = path === current ? html` aria-current="page"` : null;
      return html`<li><a href="${addressOf(path)}" ${mark}>${title}</a></li>`;
    });
    const open = members.some(({ path }) => path === current) || name !== "Decisions";
    return html`<details${open ? html` open` : null}><summary>${name}</summary><ul>${links}</ul></details>`;
  });
  return html`<nav aria-label="Documents">${lists}</nav>`;
}

function pageOf(title: string, main: Markup, nav: Markup): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Vitrine</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/@docs/docs.css" />
        <script type="module" src="/@docs/search.js"></script>
      </head>
      <body>
        <header>
          <a href="/">Vitrine</a>
          <search>
            <input
              type="search"
              placeholder="Search the documents"
              aria-label="Search the documents"
            />
            <ol id="results" hidden></ol>
          </search>
        </header>
        ${nav}
        <main>${main}</main>
      </body>
    </html>`.text;
}

/** The response to a path: a document, a folder's list, or a file of the documentation. */
export interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
}

const page = (status: number, body: string): Answer => ({ status, type: "text/html", body });

/** A file or a folder's list below docs/; null if it doesn't exist. */
function fileAnswer(root: string, path: string): Answer | null {
  let file: string;
  try {
    file = realpathSync(join(root, path));
  } catch {
    return null;
  }
  if (!file.startsWith(`${realpathSync(join(root, "docs"))}/`)) return null;
  if (!statSync(file).isDirectory()) {
    return { status: 200, type: lookup(file) ?? "text/plain", body: readFileSync(file) };
  }
  const entries = readdirSync(file).map(
    (name) => html`<li><a href="/${path.replace(/\/$/, "")}/${name}">${name}</a></li>`,
  );
  return page(
    200,
    pageOf(
      path,
      html`<h1>${path}</h1>
        <ul>
          ${entries}
        </ul>`,
      html``,
    ),
  );
}

/** Returns what is at an address of the documentation, from the current file. */
export function makeDocsSite(root: string): (address: string) => Answer {
  const readDocuments = makeDocumentReader(root);
  return (address) => answerDocs(root, readDocuments, address);
}

function answerDocs(root: string, readDocuments: () => Document[], address: string): Answer {
  const path = decodeURIComponent(new URL(address, "http://localhost").pathname).slice(1);
  if (path.startsWith("@docs/")) {
    const name = path.slice("@docs/".length);
    if (name !== "docs.css" && name !== "search.js") return page(404, "Not found");
    return { status: 200, type: lookup(name) ?? "", body: readFileSync(join(assets, name)) };
  }
  const documents = readDocuments();
  if (path === "search.json") {
    const index = documents.flatMap(({ path: file, title, sections }) =>
      sections.map((section) => ({ ...section, title, address: `/${file}#${section.id}` })),
    );
    return { status: 200, type: "application/json", body: JSON.stringify(index) };
  }
  const current = path === "" ? home : path;
  const document = documents.find((one) => one.path === current);
  if (document) {
    const nav = navigation(documents, current);
    return page(200, pageOf(document.title, new Markup(document.html), nav));
  }
  const missing = html`<h1>Page not found</h1>
    <p>Choose a document from the list.</p>`;
  return (
    fileAnswer(root, path) ??
    page(404, pageOf("Page not found", missing, navigation(documents, "")))
  );
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  const text = /^(?:text\/|application\/json)/.test(type) ? `${type}; charset=utf-8` : type;
  response.writeHead(status, { "content-type": text, "cache-control": "no-store" });
  response.end(body);
}

/** Serves the documents of the repository in `root` as a site. Resolves when it listens. */
export async function serveDocs(root: string, port: number): Promise<Server> {
  const respond = makeDocsSite(root);
  const server = createServer((request, response) => {
    try {
      send(response, respond(request.url ?? "/"));
    } catch (error) {
      send(response, { status: 500, type: "text/plain", body: String(error) });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "localhost", resolve);
  });
  return server;
}
