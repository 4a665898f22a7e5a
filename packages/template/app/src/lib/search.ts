/*
 * Searches the site in the visitor's browser, by the index that the build makes with Pagefind. Loaded
 * by components/SearchBox.astro when the field is used.
 */

/** What Pagefind gives for one page. */
interface Found {
  url: string;
  /** HTML: text, and `placeholder` elements around what was looked for. */
  excerpt: string;
  /** `title` is the page's heading, `page` what the page calls itself, `cut` the image's focal point. */
  meta: { title?: string; page?: string; kind?: string; image?: string; cut?: string };
}

interface Pagefind {
  options(options: { baseUrl: string; excerptLength: number; noWorker: boolean }): Promise<void>;
  search(words: string): Promise<{ results: { data(): Promise<Found> }[] }>;
}

type Results = Awaited<ReturnType<Pagefind["search"]>>["results"];
type Texts = Record<"loading" | "one" | "many" | "none" | "failed", string>;

/** Where this copy of the site begins: it may be shown below another address. */
const root = new URL("..", import.meta.url);
const pageSize = 10;
const pauseMs = 150;
const timeoutMs = 200;

let loading: Promise<Pagefind> | undefined;

async function load(): Promise<Pagefind> {
  const address = new URL("pagefind/pagefind.js", root).href;
  const library = (await import(/* @vite-ignore */ address)) as Pagefind;
  await library.options({ baseUrl: root.pathname, excerptLength: 28, noWorker: true });
  return library;
}

/** Loads Pagefind once; after a failure it is tried anew. */
function pagefind(): Promise<Pagefind> {
  loading ??= load();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** The excerpt as text and marks, whatever else may be in it. */
function excerptOf(html: string): (Node | string)[] {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return [...body.childNodes].map((node) => {
    const text = node.textContent ?? "";
    return node.nodeName === "MARK" ? element("mark", "", text) : text;
  });
}

function resultOf({ url, excerpt, meta }: Found): HTMLLIElement {
  const link = element("a", "", meta.title ?? url);
  const address = new URL(url, root);
  // The index is of this site's pages and leads nowhere else.
  if (address.origin === root.origin) link.href = address.href;
  const text = element("div", "");
  const above = meta.kind ?? (meta.page === meta.title ? "" : meta.page);
  if (above) text.append(element("p", "small muted", above));
  text.append(element("h2", "", link), element("p", "muted", ...excerptOf(excerpt)));
  const item = element("li", "", text);
  if (meta.image?.startsWith("/")) {
    const image = element("img", "");
    Object.assign(image, { alt: "", loading: "lazy", width: 320, height: 180 });
    image.src = new URL(meta.image.slice(1), root).href;
    if (meta.cut) image.style.objectPosition = meta.cut;
    item.classList.add("with-image");
    item.append(image);
  }
  return item;
}

interface ResultList {
  /** Shows the first results instead of what was there; false when others were asked for meanwhile. */
  show(results: Results): Promise<boolean>;
  clear(): void;
}

/** The list of results, of which `more` shows the next. */
function makeList(list: HTMLElement, more: HTMLButtonElement, failed: () => void): ResultList {
  let results: Results = [];
  let shown = 0;

  async function next(): Promise<HTMLLIElement[] | undefined> {
    const mine = results;
    const found = await Promise.all(mine.slice(shown, shown + pageSize).map((one) => one.data()));
    if (mine !== results) return undefined;
    const items = found.map(resultOf);
    if (shown === 0) list.replaceChildren();
    list.append(...items);
    shown += items.length;
    more.hidden = shown >= results.length;
    return items;
  }

  more.addEventListener("click", () => {
    // Whoever goes on by keyboard goes on with the first of the new ones.
    next().then((items) => items?.[0]?.querySelector("a")?.focus(), failed);
  });
  return {
    async show(found) {
      results = found;
      shown = 0;
      return (await next()) !== undefined;
    },
    clear() {
      results = [];
      list.replaceChildren();
      more.hidden = true;
    },
  };
}

/** An element that the search can't be without. */
function part<Kind extends Element>(box: HTMLElement, selector: string): Kind {
  const found = box.querySelector<Kind>(selector);
  if (!found) throw new Error(`There is no ${selector} in the search.`);
  return found;
}

/** Makes the field in `box` search, and shows what is found below it. */
export function startSearch(box: HTMLElement): void {
  const texts = JSON.parse(box.dataset["texts"] ?? "{}") as Texts;
  const field = part<HTMLInputElement>(box, "input");
  const status = part<HTMLElement>(box, ".status");
  const say = (text: string, words = "", count = 0): void => {
    const announcement = text.replace("{count}", String(count)).replace("{words}", () => words);
    if (status.textContent !== announcement) status.textContent = announcement;
  };
  const failed = (): void => say(texts.failed);
  const list = makeList(part(box, ".found"), part(box, ".more"), failed);
  let turn = 0;

  async function find(words: string, mine: number): Promise<void> {
    const { results } = await (await pagefind()).search(words);
    if (mine !== turn || !(await list.show(results))) return;
    const text = results.length === 1 ? texts.one : results.length ? texts.many : texts.none;
    say(text, words, results.length);
  }

  async function search(): Promise<void> {
    const mine = ++turn;
    const words = field.value.trim();
    remember(words);
    if (words === "") {
      say("");
      return list.clear();
    }
    const slow = setTimeout(() => mine === turn && say(texts.loading), timeoutMs);
    try {
      await find(words, mine);
    } catch {
      if (mine !== turn) return;
      list.clear();
      failed();
    } finally {
      clearTimeout(slow);
    }
  }

  let waiting: ReturnType<typeof setTimeout> | undefined;
  const soon = (ms: number): void => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void search(), ms);
  };
  field.addEventListener("input", () => soon(pauseMs));
  part<HTMLFormElement>(box, "form").addEventListener("submit", (event) => {
    event.preventDefault();
    soon(0);
  });
  const initialQuery = new URLSearchParams(location.search).get("q");
  if (initialQuery && field.value === "") field.value = initialQuery;
  if (field.value.trim() !== "") soon(0);
  else pagefind().catch(failed);
}

/** Keeps the words in the address, so that going back from a result finds them again. */
function remember(words: string): void {
  const address = new URL(location.href);
  if (words === "") address.searchParams.delete("q");
  else address.searchParams.set("q", words);
  try {
    history.replaceState(history.state, "", address);
  } catch {
    // A page without an origin may not; it is only a convenience.
  }
}
