import rss from "@astrojs/rss";
import texts from "../content/changelog.json";
import site from "../content/site.json";
import { escapeHtml } from "../lib/markdown.ts";
import { isBuilt } from "../lib/parts.ts";
import { changeId, changes } from "../lib/records.ts";

/** The changelog as RSS 2.0. */
export async function GET({ site: base }: { site: URL }): Promise<Response> {
  // Without its page there is no feed.
  if (!isBuilt("/rss.xml")) return new Response(null);
  return rss({
    title: `${site.name}: ${texts.title.toLowerCase()}`,
    description: texts.description,
    site: base,
    trailingSlash: false,
    xmlns: { atom: "http://www.w3.org/2005/Atom", dc: "http://purl.org/dc/elements/1.1/" },
    items: changes.slice(0, 50).map((change) => ({
      title: change.title,
      description: change.detail,
      link: `/changelog/#${changeId(change)}`,
      pubDate: new Date(change.at),
      categories: [change.kind],
      customData: `<dc:creator>${escapeHtml(change.actor)}</dc:creator>`,
    })),
    // A feed says where it is itself, so that a copy of it can be followed.
    customData: `<language>${site.language}</language><atom:link href="${new URL("/rss.xml", base).href}" rel="self" type="application/rss+xml"/>`,
  });
}
