import type { IncomingHttpHeaders } from "node:http";

/**
 * Programs that fetch a link in a message to show or check what is behind it, by the names they
 * send. An app's name alone means nothing: people open links in the in-app browsers of LinkedIn,
 * Telegram, or Teams.
 */
const linkFetchers =
  /\b(?:slackbot|slack-imgproxy|discordbot|telegrambot|linkedinbot|twitterbot|redditbot|pinterestbot|applebot|facebot|facebookexternalhit|facebookcatalog|meta-external\w+|skypeuripreview|microsoftpreview|bingpreview|vkshare|embedly|iframely|metainspector|cardyb|google-?(?:read|safety|inspection|pagerenderer)|safelinks|proofpoint|barracuda|mimecast)\b|^(?:whatsapp|viber|pinterest)\/|\bmastodon\/\d/i;

/** Common names of other such programs. Cubot makes phones. */
const likelyLinkFetchers = /(?<!\bcu)bot\b|crawl|spider|slurp|preview/i;

/**
 * Classifies the visitor of a sign-in link: a `person` who opened it, a `prefetch` by a browser, or
 * a `previewer` (link previews, mail scanners, frames, and images), which must not get a session.
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
  // Browsers send this only for a link that somebody opened.
  if (dest === "document" && headers["sec-fetch-user"] === "?1") return "person";
  return likelyLinkFetchers.test(agent) ? "previewer" : "person";
}
