import type { IncomingHttpHeaders } from "node:http";

/** Programs that fetch a link because somebody wrote it down, to show what is behind it. */
const previewAgents =
  /bot\b|crawl|spider|slurp|preview|facebookexternalhit|facebot|whatsapp|telegram|slack|discord|skype|teams|embedly|iframely|linkedin|pinterest|mastodon|vkshare|metainspector|google-?(?:read|safety|inspection)|safelinks|proofpoint|barracuda|mimecast/i;

/**
 * Who visits a sign-in link: a `person` who opened it, a `prefetch` by a browser that guesses the
 * next step, or a `previewer` (link previews, mail scanners, frames and images) that must not
 * receive a session.
 */
export function linkVisitor(headers: IncomingHttpHeaders): "person" | "prefetch" | "previewer" {
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
  return previewAgents.test(headers["user-agent"] ?? "") ? "previewer" : "person";
}
