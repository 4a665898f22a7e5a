import { createHash } from "node:crypto";
import sharp from "sharp";

export interface Served {
  status: number;
  type: string;
  body: Buffer;
  location?: string;
  etag: string;
}

/** An intentional defect of the site. */
export interface Defect {
  kind: string;
  /** The page that has it. */
  page: string;
  /** Path and fragment of what it leads to. */
  target: string;
}

export interface GeneratedSite {
  files: Map<string, Served>;
  defects: Defect[];
  /** How many addresses the pages reference. */
  counts: { pages: number; links: number; fragments: number; images: number };
}

/** How many pages the site has unless asked otherwise. */
export const defaultPages = 300;
const imageFiles = 120;
/** Per page: links to pages, links to fragments, and images. */
const perPage = { links: 13, fragments: 4, images: 3 };

/** Random numbers that are the same in each run (a linear congruential generator). */
function makeChance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words =
  "stone paper river light hand table garden winter line letter room window city bread music field colour thread morning road".split(
    " ",
  );

function served(type: string, body: string | Buffer, status = 200): Served {
  const bytes = Buffer.from(body);
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 20)}"`;
  return { status, type, body: bytes, etag };
}

const redirect = (location: string): Served => ({ ...served("text/html", "", 301), location });
const html = "text/html; charset=utf-8";
const pathOf = (index: number) => (index === 0 ? "/" : `/section-${index % 12}/page-${index}/`);

/** The number of defects of each kind, spread over the pages. */
const wanted: Record<string, number> = {
  "page that is missing": 24,
  "page that fails": 6,
  "place that is missing": 24,
  "letters’ case": 5,
  "loop of redirects": 3,
  "malformed address": 5,
  "picture that is missing": 12,
  "picture that is a page": 4,
  "picture without bytes": 4,
  "size of a picture that is missing": 6,
  "script that is missing": 3,
  "file of a style sheet that is missing": 3,
};

/** The markup of a defect and its target. */
function markupOf(kind: string, index: number): { markup: string; target: string; head?: boolean } {
  const link = (href: string) => `<p><a href="${href}">Further reading ${index}</a></p>`;
  const image = (src: string, more = "") =>
    `<p><img src="${src}" ${more}alt="Picture ${index}" width="160" height="120"></p>`;
  switch (kind) {
    case "page that is missing":
      return { markup: link(`/missing/${index}/`), target: `/missing/${index}/` };
    case "page that fails":
      return { markup: link(`/failing/${index}/`), target: `/failing/${index}/` };
    case "place that is missing": {
      const target = `${pathOf(100 + index)}#nowhere-${index}`;
      return { markup: link(target), target };
    }
    case "letters’ case": {
      const target = pathOf(200 + index).replace("/section", "/Section");
      return { markup: link(target), target };
    }
    case "loop of redirects":
      return { markup: link(`/loop/${index}/a/`), target: `/loop/${index}/a/` };
    case "malformed address": {
      const target = `https:/section-${index}/`;
      return { markup: link(target), target };
    }
    case "picture that is missing":
      return { markup: image(`/img/gone-${index}.png`), target: `/img/gone-${index}.png` };
    case "picture that is a page":
      return { markup: image(`/img/page-${index}.png`), target: `/img/page-${index}.png` };
    case "picture without bytes":
      return { markup: image(`/img/empty-${index}.png`), target: `/img/empty-${index}.png` };
    case "size of a picture that is missing": {
      const target = `/img/size-${index}.png`;
      return { markup: image("/img/0.png", `srcset="/img/0.png 1x, ${target} 2x" `), target };
    }
    case "script that is missing": {
      const target = `/js/gone-${index}.js`;
      return { markup: `<script src="${target}" defer></script>`, target, head: true };
    }
    default: {
      const target = `/img/background-${index}.png`;
      return {
        markup: `<link rel="stylesheet" href="/css/extra-${index}.css">`,
        target,
        head: true,
      };
    }
  }
}

function addAnswers(files: Map<string, Served>): void {
  const of = (kind: string) => Array.from({ length: wanted[kind] ?? 0 }, (_, index) => index);
  for (const index of of("page that fails")) {
    files.set(`/failing/${index}/`, served(html, "<h1>Sorry</h1>", 500));
  }
  for (const index of of("loop of redirects")) {
    files.set(`/loop/${index}/a/`, redirect(`/loop/${index}/b/`));
    files.set(`/loop/${index}/b/`, redirect(`/loop/${index}/a/`));
  }
  for (const index of of("picture that is a page")) {
    files.set(`/img/page-${index}.png`, served("image/png", "<!doctype html><p>No picture"));
  }
  for (const index of of("picture without bytes")) {
    files.set(`/img/empty-${index}.png`, served("image/png", ""));
  }
  for (const index of of("file of a style sheet that is missing")) {
    const rule = `.extra{background:url(/img/background-${index}.png)}`;
    files.set(`/css/extra-${index}.css`, served("text/css", rule));
  }
}

function pageOf(
  index: number,
  pages: number,
  chance: (below: number) => number,
  extra: readonly ReturnType<typeof markupOf>[],
): string {
  const sentence = () =>
    `${Array.from({ length: 12 }, () => words[chance(words.length)]).join(" ")}.`;
  const link = (to: number, place = "") =>
    `<a href="${pathOf(to)}${place}">About ${words[to % words.length]} ${to}</a>`;
  const nav = [0, 1, 2, 3, 4].map((to) => `<li>${link(to)}</li>`).join("");
  // A chain from page to page, so that each is reachable.
  const links = [
    (index + 1) % pages,
    ...Array.from({ length: perPage.links - 6 }, () => chance(pages)),
  ];
  const places = Array.from({ length: perPage.fragments }, () =>
    link(chance(pages), `#part-${chance(5)}`),
  );
  const images = Array.from({ length: perPage.images }, () => {
    return `<img src="/img/${chance(imageFiles)}.png" alt="A ${sentence()}" width="160" height="120" loading="lazy">`;
  });
  const parts = Array.from({ length: 5 }, (_, part) => {
    const said = Array.from({ length: 6 }, sentence).join(" ");
    const here = links
      .slice(part * 2, part * 2 + 2)
      .map((to) => link(to))
      .join(" and ");
    return `<section id="part-${part}"><h2>Part ${part} of ${words[chance(words.length)]}</h2>
<p>${said}</p><p>See ${here || link(index)}.</p>${places[part] ?? ""}${images[part] ?? ""}</section>`;
  });
  const heads = extra.filter(({ head }) => head).map(({ markup }) => markup);
  const bodies = extra.filter(({ head }) => !head).map(({ markup }) => markup);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Page ${index}: ${words[index % words.length]} and ${words[(index * 7) % words.length]}</title>
<meta name="description" content="What is to be said in page ${index}: ${sentence()}">
<link rel="stylesheet" href="/css/site.css"><link rel="icon" href="/img/1.png">${heads.join("")}
<script src="/js/site.js" defer></script></head><body>
<header><nav aria-label="Main"><ul>${nav}</ul></nav></header>
<main><h1>Page ${index}</h1>${parts.join("\n")}${bodies.join("")}</main>
<footer><p>${sentence()} ${link(0)}</p></footer></body></html>`;
}

async function imageOf(index: number): Promise<Buffer> {
  const chance = makeChance(index + 1);
  const pixels = Buffer.from(Array.from({ length: 160 * 120 }, () => chance(64) + (index % 128)));
  return sharp(pixels, { raw: { width: 160, height: 120, channels: 1 } })
    .png()
    .toBuffer();
}

/**
 * Generates a site of 300 pages (or more) with some 20 links, fragments, and images each and known
 * defects.
 */
export async function generateSite(pages: number = defaultPages): Promise<GeneratedSite> {
  const chance = makeChance(7);
  const files = new Map<string, Served>();
  const defects: Defect[] = [];
  const extras = new Map<number, ReturnType<typeof markupOf>[]>();
  for (const [kind, count] of Object.entries(wanted)) {
    for (let index = 0; index < count; index++) {
      const at = 1 + chance(pages - 1);
      const extra = markupOf(kind, index);
      extras.set(at, [...(extras.get(at) ?? []), extra]);
      defects.push({ kind, page: pathOf(at), target: extra.target });
    }
  }
  for (let index = 0; index < pages; index++) {
    files.set(pathOf(index), served(html, pageOf(index, pages, chance, extras.get(index) ?? [])));
  }
  for (let index = 0; index < imageFiles; index++) {
    files.set(`/img/${index}.png`, served("image/png", await imageOf(index)));
  }
  const rules = Array.from({ length: 200 }, (_, i) => `.rule-${i}{margin:${i}px}`).join("\n");
  const font =
    "body{color:#222;background:#fff;font:1rem/1.5 sans-serif}img{max-width:100%;height:auto}";
  files.set("/css/site.css", served("text/css", `${font}\n${rules}`));
  files.set("/js/site.js", served("text/javascript", "document.documentElement.dataset.on = '';"));
  files.set("/robots.txt", served("text/plain", "User-agent: *\nAllow: /\n"));
  addAnswers(files);
  const { links, fragments, images } = perPage;
  const counts = {
    pages,
    links: pages * links,
    fragments: pages * fragments,
    images: pages * images,
  };
  return { files, defects, counts };
}
