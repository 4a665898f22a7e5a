import type { IncomingHttpHeaders } from "node:http";

/**
 * Programs that fetch a link because somebody wrote it down, to show or to judge what is behind it,
 * by the names they give themselves. The name of an app alone tells nothing: people open links in
 * the browsers inside of LinkedIn, Telegram or Teams.
 */
const linkFetchers =
  /\b(?:slackbot|slack-imgproxy|discordbot|telegrambot|linkedinbot|twitterbot|redditbot|pinterestbot|applebot|facebot|facebookexternalhit|facebookcatalog|meta-external\w+|skypeuripreview|microsoftpreview|bingpreview|vkshare|embedly|iframely|metainspector|cardyb|google-?(?:read|safety|inspection|pagerenderer)|safelinks|proofpoint|barracuda|mimecast)\b|^(?:whatsapp|viber|pinterest)\/|\bmastodon\/\d/i;

/** What others of them are called; Cubot makes phones. */
const likelyLinkFetchers = /(?<!\bcu)bot\b|crawl|spider|slurp|preview/i;

/**
 * Who visits a sign-in link: a `person` who opened it, a `prefetch` by a browser that guesses the
 * next step, or a `previewer` (link previews, mail scanners, frames and images) that must not
 * receive a session.
 */
export function classifyLinkVisitor(
  headers: IncomingHttpHeaders,
): "person" | "prefetch" | "previewer" {
  const purpose = [
    headers["sec-purpose"],
    headers["purpose"],
    headers["x-moz"],
    headers["x-purpose"],
  ]
    .join(" ")
    .toLowerCase();
  if (/prefetch|prerender|preview/.test(purpose)) return "prefetch";
  const dest = headers["sec-fetch-dest"];
  if (dest !== undefined && dest !== "document") return "previewer";
  const agent = headers["user-agent"] ?? "";
  if (linkFetchers.test(agent)) return "previewer";
  // A browser says so of what somebody opened, and of nothing else.
  if (dest === "document" && headers["sec-fetch-user"] === "?1") return "person";
  return likelyLinkFetchers.test(agent) ? "previewer" : "person";
}
