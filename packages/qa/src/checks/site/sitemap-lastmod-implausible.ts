import type { SiteCheck } from "../../check.ts";
import type { SitemapEntry } from "../../probe/probes.ts";

/** A date or time as in the W3C's note on date formats. */
const form =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?)?)?$/;
/** There were no websites before this. */
const first = Date.parse("1991-08-06");
const day = 86_400_000;

function faultOf(lastmod: string, now: number): string | null {
  const time = Date.parse(lastmod);
  if (!form.test(lastmod) || Number.isNaN(time)) return "isn’t a date";
  // Clocks and time zones differ by up to a day.
  if (time > now + day) return "is in the future";
  return time < first ? "is earlier than the first websites" : null;
}

/** Reports a date that can't be right: search engines then ignore all dates of the sitemap. */
export const sitemapLastmodImplausible: SiteCheck = {
  id: "sitemap.lastmod-implausible",
  category: "sitemap",
  severity: "notice",
  scope: "probe",
  *run(_crawl, { entries, now }) {
    const faults = new Map<string, { entry: SitemapEntry; fault: string; count: number }>();
    for (const entry of entries) {
      const { lastmod, sitemap } = entry;
      const fault = lastmod === null ? null : faultOf(lastmod, Date.parse(now));
      if (fault === null) continue;
      const key = `${new URL(sitemap).pathname} ${fault}`;
      const known = faults.get(key);
      if (known) known.count++;
      else faults.set(key, { entry, fault, count: 1 });
    }
    for (const [target, { entry, fault, count }] of faults) {
      const { loc, lastmod, line, sitemap } = entry;
      const path = new URL(sitemap).pathname;
      const more = count > 1 ? `, and ${count - 1} more` : "";
      yield {
        page: "/",
        target,
        message: `A date in ${path} ${fault}: ${(lastmod ?? "").slice(0, 40)}${more}.`,
        location: { selector: path, line, text: loc },
        evidence: { loc, lastmod: (lastmod ?? "").slice(0, 60), count },
      };
    }
  },
};
