import type { Severity } from "../finding.ts";

/** How a check looks: static markup, HTTP, across pages, a probe, a browser. */
export type Method = "S" | "H" | "X" | "P" | "B";

/** One check as everybody names it. A check in code has the same severity and category. */
export interface CatalogEntry {
  id: string;
  category: string;
  /** The gravest that it says; `by impact` where each finding has its own. */
  severity: Severity | "by impact";
  methods: readonly Method[];
  /** To be looked at before everything else. */
  critical: boolean;
  /** Some of its findings have one clear repair, which may be made unattended. */
  safe: boolean;
  /** In a few plain words, as the screens show it. */
  title: string;
}

/** Id, category, severity, methods, mark, title. */
const table = `
page.status-4xx | pages | error | H |  | A page that isn’t there
page.status-5xx | pages | error | H |  | A page that fails
page.timeout | pages | error | H |  | A page that does not answer in time
page.soft-404 | pages | error | X |  | An address without a page that does not say so
page.notfound-quality | pages | warning | P |  | A “not found” page that helps nobody on
page.notfound-redirects-home | pages | error | P |  | Missing pages that lead to the start page
page.empty-body | pages | error | S |  | A page with nothing to see
page.content-type-mismatch | pages | error | H |  | A file that is something else than it says
page.charset-missing | pages | warning | S |  | A page that does not say its encoding
page.duplicate-content | pages | warning | X |  | Pages with the same content
page.orphan | pages | warning | X |  | A page that no other links to
page.depth | pages | notice | X |  | A page many clicks away
page.html-invalid | pages | warning | S |  | Markup that browsers have to guess at
page.duplicate-id | pages | warning | S |  | An id that is there twice
page.size-html | pages | warning | H |  | A page whose HTML is heavy
link.internal-broken | links | error | H | safe | A link to a page that isn’t there
link.fragment-missing | links | error | X | safe | A link to a place that isn’t on the page
link.text-fragment-miss | links | notice | X |  | A link to words that aren’t on the page
link.malformed | links | error | S | safe | A link with an impossible address
link.empty-href | links | warning | S |  | A link that leads nowhere
link.self-redirect | links | warning | H | safe | A link to an address that has moved
link.redirect-chain | links | warning | H | safe | A link over several redirects
link.redirect-loop | links | error | H |  | Redirects that go round in circles
link.redirect-downgrade | links | error | H |  | A redirect to an unencrypted address
link.temp-redirect-permanent-use | links | notice | H |  | A link over a temporary redirect
link.trailing-slash-inconsistent | links | notice | X | safe | A page linked with and without a slash at its end
link.case-mismatch | links | error | X | safe | A link with wrong upper or lower case
link.http-on-https | links | warning | S | safe | An unencrypted link to an own page
link.no-text | links | warning | S |  | A link without words
link.generic-text | links | notice | S |  | A link whose words do not say where it leads
link.dev-host | links | error | S |  | A link that only works where the site was made
link.nofollow-internal | links | notice | S |  | An own page that search engines are told not to follow
link.mailto-invalid | links | warning | S |  | A mail link without a usable address
link.tel-invalid | links | notice | S |  | A telephone link that can’t be dialled
link.target-blank-opener | links | notice | S |  | A new window that may take over this one
asset.broken | links | error | H |  | A file that isn’t there
asset.css-url-broken | links | error | S |  | A file that a style sheet asks for and that isn’t there
img.broken | images | error | H |  | A picture that isn’t there
img.srcset-broken | images | error | H |  | A size of a picture that isn’t there
img.not-image | images | error | H |  | A picture that is none
img.zero-bytes | images | error | H |  | A picture whose file is empty
img.alt-missing | images | error | S | safe | A picture without an alternative text
img.alt-empty-content | images | warning | S | safe | An image of the content with an empty alternative text
img.alt-filename | images | warning | S | safe | An alternative text that is a file’s name
img.alt-duplicate-adjacent | images | notice | S | safe | An alternative text that repeats the words beside it
img.alt-too-long | images | notice | S | safe | An alternative text that is very long
img.link-no-alt | images | error | S | safe | A linked picture without words
img.dimensions-missing | images | warning | S |  | A picture that does not say its size
img.oversized | images | warning | B |  | A picture larger than it is shown
img.heavy | images | warning | H |  | A heavy picture
img.legacy-format | images | notice | H |  | A picture in an old format
img.lazy-above-fold | images | warning | B |  | A picture at the top that is loaded late
img.over-1600px | images | warning | H |  | A picture larger than 1,600 pixels
img.exif-gps | images | warning | H |  | A picture that tells where it was taken
ext.broken | external | error | H |  | A link to another site that is broken
ext.gone-410 | external | error | H |  | A link to a page that is gone for good
ext.dns | external | error | H |  | A link to a site that does not exist
ext.tls | external | error | H |  | A link to a site without a valid certificate
ext.blocked | external | notice | H |  | A link that could not be checked
ext.redirect-permanent | external | notice | H |  | A link to another site’s page that has moved
ext.fragment-unverifiable | external | notice | H |  | A place on another site’s page that could not be checked
ext.parked-or-soft404 | external | notice | H |  | A link to a page that seems to be gone
form.unreachable | form probes | error | P |  | A form that leads nowhere
form.honeypot-accepted-silently | form probes | error | P |  | The form’s trap for robots does not work
form.honeypot-wrote | form probes | error | P | critical | A message of a robot was kept
form.validation-missing | form probes | error | P |  | A form that takes anything
form.get-leaks | form probes | error | P |  | A form whose content can be read
form.envelope-invalid | form probes | error | P |  | A form’s answer that can’t be understood
form.insecure-action | form probes | error | S |  | A form that sends unencrypted
form.rate-limit | form probes | warning | P |  | A form that turns its own site away
form.csrf-origin | form probes | warning | P |  | A form that other sites can send
health.api | health | error | P | critical | The program does not answer
health.latency | health | warning | P |  | The program answers slowly
health.admin-gate | health | error | P | critical | The admin’s door is open
health.tls-expiry | health | warning | P |  | The certificate runs out
health.preview-leak | health | error | P | critical | A private preview is open to all
health.migrations | health | error | P |  | The database is not up to date
perf.page-weight | performance | warning | B |  | A page that loads a lot
perf.lcp-cls-tbt | performance | warning | B |  | A page that shows slowly or jumps
perf.no-compression | performance | warning | H |  | Text that is sent uncompressed
perf.cache-short | performance | notice | H |  | Files that browsers may not keep
perf.render-blocking | performance | notice | B |  | Files that hold up the page
perf.slow-ttfb | performance | warning | H |  | A page that answers slowly
sec.csp | security | warning | H |  | No content security policy
sec.hsts | security | warning | H |  | Encryption is not insisted on
sec.nosniff-frame-referrer | security | notice | H |  | Protective headers are missing
sec.cookie-flags | security | error | H |  | A cookie without protection
sec.mixed-content | security | error | S+B |  | Something is loaded unencrypted
sec.version-leak | security | notice | H |  | The server tells its version
sec.exposed-file | security | error | P | critical | A private file is open to all
sec.sri-missing | security | notice | S |  | A script of others that is not pinned
seo.title-missing | seo | error | S |  | A page without a title
seo.title-length | seo | notice | S |  | A title that is cut off in search results
seo.title-duplicate | seo | warning | X |  | A title that two pages share
seo.h1-missing | seo | warning | S |  | A page without a main heading
seo.h1-multiple | seo | notice | S |  | A page with several main headings
seo.canonical-missing | seo | warning | S |  | A page without a canonical address
seo.canonical-broken | seo | error | X |  | A canonical address that leads to no page
seo.canonical-mismatch | seo | warning | X |  | A canonical address of another page
seo.noindex-unexpected | seo | error | S+H | critical | A page hidden from search engines
seo.robots-blocks-page | seo | error | X |  | A page that robots.txt forbids
seo.thin | seo | notice | S |  | A page with few words
seo.url-hygiene | seo | notice | S |  | An awkward address
meta.description-missing | meta | warning | S |  | A page without a description
meta.description-length | meta | notice | S |  | A description that is too short or too long
meta.description-duplicate | meta | warning | X |  | A description that two pages share
meta.viewport | meta | error | S |  | A page that telephones show tiny or can’t enlarge
meta.lang | meta | error | S |  | A page that does not say its language
meta.og-incomplete | meta | notice | S |  | A link preview that lacks something
meta.og-image-broken | meta | error | H |  | A picture for link previews that isn’t there
meta.favicon | meta | notice | H |  | No icon for the browser’s tab
meta.jsonld-syntax | structured data | error | S |  | Structured data that can’t be read
meta.jsonld-required | structured data | warning | S |  | Structured data that lacks something
meta.jsonld-url-broken | structured data | error | H |  | An address in structured data that leads nowhere
sitemap.missing | sitemap | error | P |  | No sitemap
sitemap.invalid-xml | sitemap | error | P |  | A sitemap that can’t be read
sitemap.non-200 | sitemap | error | X |  | A page in the sitemap that isn’t there
sitemap.noindex-or-canonicalised | sitemap | warning | X |  | A page in the sitemap that is not to be listed
sitemap.missing-page | sitemap | warning | X |  | A page that the sitemap leaves out
sitemap.limits | sitemap | warning | P |  | A sitemap beyond its limits
sitemap.lastmod-implausible | sitemap | notice | P |  | A date in the sitemap that can’t be right
robots.missing-or-5xx | sitemap | warning | P |  | No robots.txt
robots.no-sitemap-line | sitemap | notice | P |  | robots.txt does not name the sitemap
feed.broken | sitemap | warning | P |  | A feed that can’t be read
i18n.hreflang-return | i18n | warning | X |  | A translation that does not point back
i18n.hreflang-invalid | i18n | warning | S |  | A translation in no known language
i18n.hreflang-broken | i18n | error | H |  | A translation that isn’t there
a11y.axe.* | accessibility | by impact | B | safe | A barrier for people with disabilities
a11y.contrast | accessibility | error | B |  | Text that is too faint
a11y.incomplete | accessibility | notice | B |  | Something that a person has to look at
a11y.heading-skip | accessibility | notice | S |  | A heading that leaves out a level
a11y.focus-trap-and-order | accessibility | warning | B |  | The keyboard gets stuck
a11y.target-size | accessibility | warning | B |  | Something too small to be tapped
a11y.reflow-320 | responsive | error | B |  | A page too wide for small screens
resp.overflow-375 | responsive | error | B |  | A page too wide for telephones
resp.text-clipped | responsive | warning | B |  | Text that is cut off
js.console-error | console | error | B |  | An error in the page’s scripts
js.request-failed | console | error | B |  | Something that the page could not load
js.csp-violation | console | warning | B |  | Something that the page’s own policy forbids
text.spelling | content | notice | S |  | A word that may be misspelt
text.placeholder | content | warning | S |  | Text that was meant to be replaced
text.sample | content | error | S |  | Text of the sample site
text.mojibake | content | warning | S |  | Broken letters
`;

/** What the rules are called that also stand-ins look for, and what a look itself says. */
const others: Readonly<Record<string, string>> = {
  "page.not-checked": "A page that was not checked",
  "a11y.axe.button-name": "A button without words",
  "a11y.axe.color-contrast-enhanced": "Text that is faint for weak eyes",
  "a11y.axe.empty-heading": "A heading without words",
  "a11y.axe.frame-title": "A frame without a title",
  "a11y.axe.image-alt": "A picture without an alternative text",
  "a11y.axe.label": "A field without a label",
  "a11y.axe.landmark-one-main": "A page without one main part",
  "a11y.axe.link-name": "A link without words",
  "a11y.axe.list": "A list with something else in it",
  "a11y.axe.listitem": "A list item outside of a list",
  "a11y.axe.role-img-alt": "A drawing without an alternative text",
};

function readRow(row: string): CatalogEntry {
  const [id = "", category = "", severity = "", methods = "", mark = "", title = ""] = row
    .split("|")
    .map((cell) => cell.trim());
  return {
    id,
    category,
    severity: severity as CatalogEntry["severity"],
    methods: methods.split("+") as Method[],
    critical: mark === "critical",
    safe: mark === "safe",
    title,
  };
}

/** Every check there is, by its id; `a11y.axe.*` stands for all rules of that engine. */
export const catalog: ReadonlyMap<string, CatalogEntry> = new Map(
  table
    .trim()
    .split("\n")
    .map(readRow)
    .map((entry) => [entry.id, entry]),
);

/** The entry of a check, or of the family that a rule belongs to. */
export function entryOf(check: string): CatalogEntry | undefined {
  return (
    catalog.get(check) ?? (/^a11y\.axe(?:\.|$)/.test(check) ? catalog.get("a11y.axe.*") : undefined)
  );
}

/** A check in a few plain words. One that nobody knows is called by its id. */
export function titleOf(check: string): string {
  return others[check] ?? entryOf(check)?.title ?? check;
}
