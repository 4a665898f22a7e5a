import about from "../content/about.json";
import services from "../content/services.json";
import site from "../content/site.json";
import design from "../content/website-design.json";
import { hasResume } from "./json-resume.ts";
import { projects } from "./records.ts";

/*
 * What has no content is off: its page isn't built, and no link leads to it. Fill in the content file,
 * and both are there.
 */

/** The pages that content/site.json hides, by their address. */
const hiddenPages: readonly string[] = (site as { hidden?: string[] }).hidden ?? [];

type Service = (typeof services.services)[number] & { hidden?: boolean };

/** The services to show: those that aren't hidden, and none where their page is. */
export const shownServices: readonly Service[] = hiddenPages.includes("/services/")
  ? []
  : (services.services as Service[]).filter(({ hidden }) => hidden !== true);

export const hasServices = shownServices.length > 0;
export const hasAbout = about.story.length > 0 || about.portrait.src !== "";
export const hasDesign = [design.deliverables, design.steps, design.price, design.faq].some(
  (list) => list.length > 0,
);

const off: ReadonlySet<string> = new Set([
  ...hiddenPages,
  ...(hasServices ? [] : ["/services/"]),
  ...(hasDesign ? [] : ["/services/website-design/"]),
  ...(hasAbout ? [] : ["/about/"]),
  ...(hasResume && !hiddenPages.includes("/resume/")
    ? []
    : ["/resume/", "/resume.json", "/resume.pdf"]),
  ...(hiddenPages.includes("/changelog/") ? ["/rss.xml"] : []),
]);

/** Whether the site has the page at this address, such as `/about/`. */
export function isBuilt(path: string): boolean {
  return !off.has(path);
}

/** Whether there is anything to see at this address of the site; other addresses always count. */
export function isOn(href: string): boolean {
  return isBuilt(href) && (href !== "/projects/" || projects.length > 0);
}
