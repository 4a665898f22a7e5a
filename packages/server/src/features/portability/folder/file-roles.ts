import { localizePath } from "./languages.ts";

/** The role of a text file, as far as its path determines it. */
export type FileRole =
  | { role: "study"; collection: string }
  /** An entry of a collection that may contain something else, such as a blog. */
  | { role: "entry"; collection: string; what: string }
  | { role: "none"; reason: string };

/** A name without case, hyphens, underscores, and a leading number. */
export function plain(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFD")
    .replace(/^\d+[-_. ]+/, "")
    .replace(/[^a-z0-9]/g, "");
}

const setOf = (words: string) => new Set(words.split(" "));

/** Folders whose entries are case studies. */
const studyFolders = setOf(
  "projects project portfolio portfolios portfolioitems portfolioitem work works mywork ourwork selectedwork selectedworks case cases casestudies casestudy studies study showcase showcases clientwork clients client artworks artwork projekte projekt projets projet proyectos proyecto projetos projeto progetti progetto projecten referenzen arbeiten realisations realizations trabajos trabalhos lavori portafolio",
);
/** Folders whose entries may be case studies. */
const entryFolders: Readonly<Record<string, string>> = {
  posts: "a post",
  post: "a post",
  blog: "a post",
  blogs: "a post",
  articles: "an article",
  article: "an article",
  journal: "a journal entry",
  writing: "a text",
  writings: "a text",
  essays: "an essay",
  stories: "a story",
  notes: "a note",
  news: "news",
};
/** Collections of other content. */
const otherCollections = setOf(
  "authors author team testimonials recommendations settings config data faq categories category tags tag pages page homepage home about contact sections site global navigation menu legal skills services experience education jobs certifications certificates series search taxonomies terms",
);
/** Folders of programs and their documentation. */
const foreignFolders = setOf(
  "archetypes layouts includes partials components templates sass scss css js fonts themes examplesite vendor bower_components tests test spec e2e cypress scripts i18n locales resources dist build out coverage storybookstatic admin cms netlify functions plugins bin tools doc docs devdocs documentation wiki tasks prompts agents skills rules memorybank memory snippets shortcodes widgets decks datastructures",
);
/** The site's own output, which repeats every text. */
const outputFolders = setOf("_site _book .next .astro");

/** Files about a repository for those who work on it, including agents. */
const repositoryFiles = setOf(
  "readme license licence changelog contributing contributors codeofconduct security support governance maintainers todo roadmap agents agent claude gemini copilotinstructions cursorrules prompt prompts instructions skill pullrequesttemplate issuetemplate installation deployment releasenotes codeowners",
);
/** Pages of a site that aren't entries of a collection. */
const pages = setOf(
  "index home about aboutme contact resume cv curriculumvitae imprint impressum datenschutz privacy privacypolicy terms legal cookies colophon now uses search archive archives tags tag categories category 404 500 notfound thanks thankyou success services pricing faq links sitemap feed bio skills",
);
const templateNames = setOf(
  "template projecttemplate exampletemplate casestudytemplate boilerplate",
);

const text = /\.(?:md|markdown|mdown|mkd|mdx)$/i;
/** Extensions that are texts only within a collection. */
const template = /\.(?:html?|njk|liquid)$/i;

/** Whether a file may be a study by its extension alone. */
export function isText(path: string): boolean {
  return text.test(path) || template.test(path);
}

const none = (reason: string): FileRole => ({ role: "none", reason });

/** Whether a list with this name contains other content. */
export function isOtherName(name: string): boolean {
  return otherCollections.has(plain(name)) || pages.has(plain(name));
}

/** Whether a folder or a list with this name contains case studies. */
export function isStudyName(name: string): boolean {
  return studyFolders.has(plain(name));
}

/** The part of the path that rules out studies; null if none does. */
export function foreignFolder(folders: readonly string[]): string | null {
  const found = folders.find((name, index) => {
    if (outputFolders.has(name)) return true;
    // A study can have any name: nothing below its collection belongs to a program.
    const isInside = folders.slice(0, index).some((each) => studyFolders.has(plain(each)));
    return !isInside && foreignFolders.has(plain(name));
  });
  return found ?? null;
}

interface CollectionFolder {
  index: number;
  /** Null for a folder of studies. */
  what: string | null;
}

/** The outermost folder of the path that is a collection, preferring one of studies. */
function findCollection(folders: readonly string[]): CollectionFolder | null {
  const index = folders.findIndex((name) => studyFolders.has(plain(name)));
  if (index >= 0) return { index, what: null };
  const weak = folders.findIndex((name) => entryFolders[plain(name)] !== undefined);
  if (weak >= 0) return { index: weak, what: entryFolders[plain(folders[weak] ?? "")] ?? "" };
  // A collection of Astro or Hugo with a name of its own, such as src/content/houses.
  const home = folders.lastIndexOf("content");
  if (home >= 0 && folders.length > home + 1) return { index: home + 1, what: "an entry" };
  const own = folders.findIndex((name) => /^_[a-z]/.test(name) && !/^_(?:pages|data)$/.test(name));
  return own >= 0 ? { index: own, what: "an entry" } : null;
}

/** The role of a text file, by its path below the generator's folder. */
export function roleOf(path: string): FileRole {
  const { neutral } = localizePath(path);
  const folders = neutral.split("/");
  const name = folders.pop() ?? "";
  const stem = name.replace(/\.[^.]+$/, "");
  if (repositoryFiles.has(plain(stem)) && (folders.length === 0 || /^readme$/i.test(stem))) {
    return none("describes the folder and isn't a case study");
  }
  if (
    /\.(?:instructions|prompt|chatmode|agent)\.md$/i.test(name) ||
    /^(?:AGENTS|CLAUDE|GEMINI|SKILL)\.md$/.test(name)
  ) {
    return none("is for coding agents");
  }
  const foreign = foreignFolder(folders);
  if (foreign !== null) return none(`is in ${foreign}/, which contains no case studies`);
  const found = findCollection(folders);
  if (templateNames.has(plain(stem.replace(/^_/, "")))) return none("is named like a template");
  if (found === null) {
    if (!text.test(name)) return none("is a page");
    if (pages.has(plain(stem.replace(/^_/, "")))) {
      if (folders.length === 0 || !/^index$/i.test(stem)) return none("is named like a page");
    }
    const at = folders.findIndex((each) => ["pages", "app"].includes(plain(each)));
    // A page in a folder of its own may be a study, such as src/pages/boats/index.md.
    const isOwn = at >= 0 && at === folders.length - 2 && /^index$/i.test(stem);
    if (at >= 0 && (!isOwn || pages.has(plain(folders.at(-1) ?? "")))) return none("is a page");
    return { role: "entry", collection: folders.slice(0, -1).join("/"), what: "" };
  }
  const { index, what } = found;
  const collection = folders.slice(0, index + 1).join("/");
  const inside = folders.slice(index + 1);
  const isList = inside.length === 0 && /^_?index$/i.test(stem);
  if (isList) return none("is the page that lists the others");
  if (what !== null && pages.has(plain(stem.replace(/^_/, ""))) && !/^index$/i.test(stem)) {
    return none("is named like a page");
  }
  if (what === "an entry" && otherCollections.has(plain(folders[index] ?? ""))) {
    return none(`is in ${folders[index]}/, which contains no case studies`);
  }
  return what === null ? { role: "study", collection } : { role: "entry", collection, what };
}
