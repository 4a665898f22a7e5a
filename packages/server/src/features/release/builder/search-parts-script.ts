/** The names of an index's parts, as a list in JSON. */
export const partsFile = "parts.json";
/** Pagefind's own script, where the index has parts. */
export const mainScript = "pagefind-main.js";

/**
 * Takes the place of Pagefind's script where the index has parts, with the same functions: it adds
 * them before the first search. The text is the same for every site.
 */
export const partsScript = `import * as index from "./${mainScript}";
export { createInstance } from "./${mainScript}";

const folder = new URL(".", import.meta.url);
const shared = ["baseUrl", "excerptLength", "ranking", "highlightParam", "exactDiacritics"];
let chosen = {};
let adding;

async function addParts() {
  await index.options({ ...chosen, basePath: folder.href });
  // Rejects where Pagefind can't begin: adding a part would wait for that forever.
  await index.filters();
  const response = await fetch(new URL("${partsFile}", folder));
  if (!response.ok) throw new Error("The parts of the search index can't be loaded.");
  const own = Object.fromEntries(Object.entries(chosen).filter(([name]) => shared.includes(name)));
  const add = (name) =>
    index.mergeIndex(new URL(name + "/", folder).href, { ...own, metaCacheTag: name });
  await Promise.all((await response.json()).map(add));
}

async function ready() {
  adding ??= addParts();
  try {
    await adding;
  } catch (error) {
    adding = undefined;
    await index.destroy();
    throw error;
  }
}

export async function options(options) {
  chosen = { ...chosen, ...options };
  if (adding) await index.options(options);
}

export async function destroy() {
  adding = undefined;
  chosen = {};
  await index.destroy();
}

export const init = ready;
export const mergeIndex = async (...values) => (await ready(), index.mergeIndex(...values));
export const search = async (...values) => (await ready(), index.search(...values));
export const debouncedSearch = async (...values) =>
  (await ready(), index.debouncedSearch(...values));
export const preload = async (...values) => (await ready(), index.preload(...values));
export const filters = async () => (await ready(), index.filters());
`;
