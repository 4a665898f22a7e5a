import rss from "@astrojs/rss";
import texts from "../content/changelog.json";
import site from "../content/site.json";
import { changeId, changes } from "../lib/records.ts";

/** The changelog as RSS 2.0. */
export function GET({ site: base }: { site: URL }): Promise<Response> {
  return rss({
    title: `${site.name}: ${texts.title.toLowerCase()}`,
    description: texts.description,
    site: base,
    trailingSlash: false,
    items: changes.slice(0, 50).map((change) => ({
      title: change.title,
      description: change.detail,
      link: `/changelog/#${changeId(change)}`,
      pubDate: new Date(change.at),
      categories: [change.kind],
      author: change.actor,
    })),
    customData: `<language>${site.language}</language>`,
  });
}
