import type { Crawl } from "../../src/features/qa/crawl/crawl.ts";

/** What a crawl alone says of links, places, pictures and files: the addresses that are wrong. */
export function linkFaults(crawl: Crawl): string[] {
  const found = new Set<string>();
  for (const { kind, url, raw } of crawl.references) {
    if (/^https?:\/(?!\/)/.test(raw)) found.add(raw);
    const [address = url, fragment = ""] = url.split("#");
    const answer = crawl.answers.get(address);
    if (!answer) continue;
    const isPicture = kind === "image" || kind === "srcset" || kind === "css";
    if (answer.verdict === "broken") found.add(url);
    else if (isPicture && answer.verdict === "ok" && !answer.image) found.add(url);
    else if (kind === "link" && fragment !== "") {
      const path = decodeURIComponent(new URL(answer.finalUrl).pathname);
      const places = crawl.site.placesOn(path);
      if (places && !places.has(decodeURIComponent(fragment))) found.add(url);
    }
  }
  return [...found];
}
