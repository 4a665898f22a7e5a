import { mapConcurrently } from "../kit/concurrency.ts";
import { locate } from "../check.ts";
import type { CrawlResponse, Crawl } from "../crawl/crawl.ts";
import { attribute, type Element } from "../page/dom.ts";
import type { ProbeFetcher, FeedProbe } from "./probes.ts";
import { plainAddress } from "./sitemap.ts";
import { readXml } from "./xml.ts";

const feedTypes = /^(?:application\/(?:rss|atom)\+xml|application\/feed\+json)\b/i;
/** The maximum number of feeds, and of items of each whose links are requested. */
const maxFeeds = 10;
const maxItems = 50;

interface Named {
  url: string;
  page: string;
  element: Element;
}

/** The site's own feeds that its pages name, each once. */
function feedsOf(crawl: Crawl): Named[] {
  const seen = new Set<string>();
  const found: Named[] = [];
  for (const { kind, url, page: path } of crawl.references) {
    if (kind !== "alternate") continue;
    const plain = plainAddress(url);
    if (plain === null || seen.has(plain)) continue;
    if (!crawl.isOwn(plain) || found.length >= maxFeeds) continue;
    seen.add(plain);
    const base = crawl.pages.get(path)?.url;
    const element = crawl
      .page(path)
      ?.all("link")
      .find((link) => {
        return (
          feedTypes.test(attribute(link, "type") ?? "") &&
          plainAddress(attribute(link, "href") ?? "", base) === plain
        );
      });
    if (element) found.push({ url: plain, page: path, element });
  }
  return found;
}

interface Read {
  format: FeedProbe["format"];
  error: FeedProbe["error"];
  links: string[];
  items: number;
}

const wrong = (message: string): FeedProbe["error"] => ({ line: null, column: null, message });

/** Reads a JSON feed (jsonfeed.org, version 1.1). */
function readJsonFeed(text: string): Read {
  const none: Read = { format: null, error: null, links: [], items: 0 };
  let feed: { version?: unknown; title?: unknown; items?: unknown } | null;
  try {
    feed = JSON.parse(text) as typeof feed;
  } catch (cause) {
    return { ...none, error: wrong((cause as Error).message.slice(0, 200)) };
  }
  if (typeof feed?.version !== "string" || !Array.isArray(feed.items)) {
    return { ...none, error: wrong("It lacks “version” or “items”.") };
  }
  const links = feed.items.flatMap((item: { url?: unknown } | null) =>
    typeof item?.url === "string" ? [item.url] : [],
  );
  return { format: "json", error: null, links, items: feed.items.length };
}

/** Reads RSS 2.0, RSS 1.0 or Atom (RFC 4287). */
function readXmlFeed(text: string): Read {
  const read: Read = { format: null, error: null, links: [], items: 0 };
  let root = "";
  let titled = false;
  const inItem = (path: readonly string[]) => path.includes("item") || path.includes("entry");
  const error = readXml(text, {
    open(name, attributes, path) {
      if (path.length === 1) {
        root = name;
        read.format = name === "rss" || name === "rdf" ? "rss" : name === "feed" ? "atom" : null;
      }
      if (name === "item" || name === "entry") read.items++;
      const { href, rel = "alternate" } = attributes;
      const isLink = name === "link" && read.format === "atom" && rel === "alternate";
      if (isLink && href !== undefined && inItem(path)) read.links.push(href);
    },
    close(name, words, path) {
      if (name === "title" && !inItem(path)) titled = true;
      if (name === "link" && read.format === "rss" && words !== "" && inItem(path)) {
        read.links.push(words);
      }
    },
  });
  if (error) return { ...read, error };
  if (read.format === null) {
    return {
      ...read,
      error: wrong(`Its root element is “${root.slice(0, 40)}”, which isn’t a feed.`),
    };
  }
  return titled ? read : { ...read, error: wrong("It has no title.") };
}

async function statusOf(fetcher: ProbeFetcher, crawl: Crawl, url: string): Promise<CrawlResponse> {
  const known = crawl.responses.get(url);
  return known ?? (await fetcher.own(url, { cookies: false, maxBytes: 1 })).answer;
}

async function probeFeed(fetcher: ProbeFetcher, crawl: Crawl, named: Named): Promise<FeedProbe> {
  const { url, page, element } = named;
  const { answer: response, body } = await fetcher.own(url, { cookies: false });
  const probe: FeedProbe = {
    url,
    page,
    selector: locate(element),
    response,
    format: null,
    error: null,
    items: 0,
    broken: [],
  };
  // A file that was cut off can't be well-formed.
  if (response.status !== 200 || body === null || response.truncated) return probe;
  const text = body.toString("utf8").replace(/^\uFEFF/, "");
  const read = /^\s*[[{]/.test(text) ? readJsonFeed(text) : readXmlFeed(text);
  const { format, error, items } = read;
  const links = read.links.flatMap((link) => plainAddress(link, response.finalUrl) ?? []);
  const own = [...new Set(links)].filter((link) => crawl.isOwn(link)).slice(0, maxItems);
  const responses = await mapConcurrently(own, 4, (link) => statusOf(fetcher, crawl, link));
  const broken = responses
    .filter(({ verdict }) => verdict === "broken")
    .map((gone) => ({ url: gone.url, status: gone.status }));
  return { ...probe, format, error, items, broken };
}

/** Reads the feeds that the pages name, and requests their items' links to the site. */
export async function probeFeeds(fetcher: ProbeFetcher, crawl: Crawl): Promise<FeedProbe[]> {
  return mapConcurrently(feedsOf(crawl), 2, (named) => probeFeed(fetcher, crawl, named));
}
