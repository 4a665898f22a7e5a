import { check, LinkState } from "linkinator";
import type { MeasureOptions, Outcome } from "./outcome.ts";

/** The peer, which checks the same: links, images, style sheets, fragments. */
export async function measureLinkinator({ origin }: MeasureOptions): Promise<Outcome> {
  const { links } = await check({
    path: `${origin}/`,
    recurse: true,
    checkFragments: true,
    checkCss: true,
  });
  const broken = links.filter(({ state }) => state === LinkState.BROKEN);
  const found = [...new Set(broken.map(({ url }) => url.replace(origin, "")))];
  return { found, pages: new Set(links.map(({ parent }) => parent)).size };
}
