import about from "../content/about.json";
import services from "../content/services.json";
import design from "../content/website-design.json";
import { hasResume } from "./json-resume.ts";
import { projects } from "./records.ts";

/*
 * What has no content is off: its page isn't built, and no link leads to it. Fill in the content file,
 * and both are there.
 */

export const hasServices = services.services.length > 0;
export const hasAbout = about.story.length > 0 || about.portrait.src !== "";
export const hasDesign = [design.deliverables, design.steps, design.price, design.faq].some(
  (list) => list.length > 0,
);

const off: ReadonlySet<string> = new Set([
  ...(hasServices ? [] : ["/services/"]),
  ...(hasDesign ? [] : ["/services/website-design/"]),
  ...(hasAbout ? [] : ["/about/"]),
  ...(hasResume ? [] : ["/resume/", "/resume.json", "/resume.pdf"]),
]);

/** Whether the site has the page at this address, such as `/about/`. */
export function isBuilt(path: string): boolean {
  return !off.has(path);
}

/** Whether there is anything to see at this address of the site; other addresses always count. */
export function isOn(href: string): boolean {
  return isBuilt(href) && (href !== "/projects/" || projects.length > 0);
}
