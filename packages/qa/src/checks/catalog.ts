import type { Severity } from "../finding.ts";

/** How a check works: static markup, HTTP, across pages, a probe, a browser. */
export type Method = "S" | "H" | "X" | "P" | "B";

/** A check in the catalog. The check's code states the same severity and category. */
export interface CatalogEntry {
  id: string;
  category: string;
  /** The highest severity that it reports; `by impact` if each finding has its own. */
  severity: Severity | "by impact";
  methods: readonly Method[];
  /** To be handled before everything else. */
  critical: boolean;
  /** Some of its findings have one clear fix that may be made unattended. */
  safe: boolean;
  /** A plain short title, shown on screens. */
  title: string;
}

/** Id, category, severity, methods, mark, title. */
const table = `
page.status-4xx | pages | error | H |  | Page not found
page.status-5xx | pages | error | H |  | Page returns a server error
page.timeout | pages | error | H |  | Page doesn’t respond in time
page.soft-404 | pages | error | X |  | Missing page that doesn’t return 404
page.notfound-quality | pages | warning | P |  | “Not found” page without a way on
page.notfound-redirects-home | pages | error | P |  | Missing pages redirect to the home page
page.empty-body | pages | error | S |  | Empty page
page.content-type-mismatch | pages | error | H |  | File doesn’t match its content type
page.charset-missing | pages | warning | S |  | Page without a character encoding
page.duplicate-content | pages | warning | X |  | Pages with the same content
page.orphan | pages | warning | X |  | Page that no other page links to
page.depth | pages | notice | X |  | Page many clicks from the home page
page.html-invalid | pages | warning | S |  | Invalid HTML
page.duplicate-id | pages | warning | S |  | Duplicate id
page.size-html | pages | warning | H |  | Large HTML document
link.internal-broken | links | error | H | safe | Broken internal link
link.fragment-missing | links | error | X | safe | Link to a section that doesn’t exist
link.text-fragment-miss | links | notice | X |  | Link to text that isn’t on the page
link.malformed | links | error | S | safe | Malformed link address
link.empty-href | links | warning | S |  | Link without a destination
link.self-redirect | links | warning | H | safe | Link to a page that has moved
link.redirect-chain | links | warning | H | safe | Link through several redirects
link.redirect-loop | links | error | H |  | Redirect loop
link.redirect-downgrade | links | error | H |  | Redirect from HTTPS to HTTP
link.temp-redirect-permanent-use | links | notice | H |  | Link through a temporary redirect
link.trailing-slash-inconsistent | links | notice | X | safe | Page linked with and without a trailing slash
link.case-mismatch | links | error | X | safe | Link with the wrong capitalization
link.http-on-https | links | warning | S | safe | Internal link over HTTP
link.no-text | links | warning | S |  | Link without text
link.generic-text | links | notice | S |  | Link text that doesn’t say where it leads
link.dev-host | links | error | S |  | Link to a development address
link.nofollow-internal | links | notice | S |  | Internal link marked nofollow
link.mailto-invalid | links | warning | S |  | Email link without a valid address
link.tel-invalid | links | notice | S |  | Phone link that can’t be dialed
link.target-blank-opener | links | notice | S |  | Link in a new tab without noopener
asset.broken | links | error | H |  | Missing file
asset.css-url-broken | links | error | S |  | Missing file in a style sheet
img.broken | images | error | H |  | Broken image
img.srcset-broken | images | error | H |  | Broken image in srcset
img.not-image | images | error | H |  | Image file that isn’t an image
img.zero-bytes | images | error | H |  | Empty image file
img.alt-missing | images | error | S | safe | Image without alt text
img.alt-empty-content | images | warning | S | safe | Content image with empty alt text
img.alt-filename | images | warning | S | safe | Alt text is a file name
img.alt-duplicate-adjacent | images | notice | S | safe | Alt text repeats the text next to it
img.alt-too-long | images | notice | S | safe | Very long alt text
img.link-no-alt | images | error | S | safe | Linked image without alt text
img.dimensions-missing | images | warning | S |  | Image without width and height
img.oversized | images | warning | B |  | Image larger than displayed
img.heavy | images | warning | H |  | Large image file
img.legacy-format | images | notice | H |  | Image in an outdated format
img.lazy-above-fold | images | warning | B |  | Image at the top of the page loads late
img.over-1600px | images | warning | H |  | Image larger than 1,600 pixels
img.exif-gps | images | warning | H |  | Image contains its location
ext.broken | external | error | H |  | Broken external link
ext.gone-410 | external | error | H |  | External page removed for good
ext.dns | external | error | H |  | External site doesn’t exist
ext.tls | external | error | H |  | External site without a valid certificate
ext.blocked | external | notice | H |  | External link couldn’t be checked
ext.redirect-permanent | external | notice | H |  | External page has moved
ext.fragment-missing | external | warning | H |  | Link to a section that an external page doesn’t have
ext.fragment-unverifiable | external | notice | H |  | External section couldn’t be checked
ext.parked-or-soft404 | external | notice | H |  | External page seems to be gone
form.unreachable | form probes | error | P |  | Form leads nowhere
form.honeypot-accepted-silently | form probes | error | P |  | Form’s spam trap doesn’t work
form.honeypot-wrote | form probes | error | P | critical | Spam message was stored
form.validation-missing | form probes | error | P |  | Form accepts invalid input
form.get-leaks | form probes | error | P |  | Form exposes what is entered
form.envelope-invalid | form probes | error | P |  | Form’s response can’t be read
form.insecure-action | form probes | error | S |  | Form submits without encryption
form.rate-limit | form probes | warning | P |  | Form blocks its own site
form.csrf-origin | form probes | warning | P |  | Form accepts requests from other sites
health.api | health | error | P | critical | Server doesn’t respond
health.latency | health | warning | P |  | Server responds slowly
health.admin-gate | health | error | P | critical | Admin area is open to everyone
health.tls-expiry | health | warning | P |  | Certificate expires soon
health.preview-leak | health | error | P | critical | Private preview is open to everyone
health.migrations | health | error | P |  | Database isn’t up to date
perf.page-weight | performance | warning | B |  | Heavy page
perf.lcp-cls-tbt | performance | warning | B |  | Slow or unstable page
perf.no-compression | performance | warning | H |  | Uncompressed text
perf.cache-short | performance | notice | H |  | Files without long-term caching
perf.render-blocking | performance | notice | B |  | Render-blocking files
perf.slow-ttfb | performance | warning | H |  | Slow server response
sec.csp | security | warning | H |  | No content security policy
sec.hsts | security | warning | H |  | HTTPS isn’t enforced
sec.nosniff-frame-referrer | security | notice | H |  | Missing security headers
sec.cookie-flags | security | error | H |  | Insecure cookie
sec.mixed-content | security | error | S+B |  | Content loaded over HTTP
sec.version-leak | security | notice | H |  | Server reveals its version
sec.exposed-file | security | error | P | critical | Private file is open to everyone
sec.sri-missing | security | notice | S |  | Third-party script without an integrity hash
seo.title-missing | seo | error | S |  | Page without a title
seo.title-length | seo | notice | S |  | Title too long for search results
seo.title-duplicate | seo | warning | X |  | Duplicate title
seo.h1-missing | seo | warning | S |  | Page without a main heading
seo.h1-multiple | seo | notice | S |  | Several main headings
seo.canonical-missing | seo | warning | S |  | Page without a canonical address
seo.canonical-broken | seo | error | X |  | Broken canonical address
seo.canonical-mismatch | seo | warning | X |  | Canonical address of another page
seo.noindex-unexpected | seo | error | S+H | critical | Page hidden from search engines
seo.robots-blocks-page | seo | error | X |  | Page blocked by robots.txt
seo.thin | seo | notice | S |  | Page with little text
seo.url-hygiene | seo | notice | S |  | Awkward address
meta.description-missing | meta | warning | S |  | Page without a description
meta.description-length | meta | notice | S |  | Description too short or too long
meta.description-duplicate | meta | warning | X |  | Duplicate description
meta.viewport | meta | error | S |  | Missing or restrictive viewport
meta.lang | meta | error | S |  | Page without a language
meta.og-incomplete | meta | notice | S |  | Incomplete link preview
meta.og-image-broken | meta | error | H |  | Broken link preview image
meta.favicon | meta | notice | H |  | No favicon
meta.jsonld-syntax | structured data | error | S |  | Invalid structured data
meta.jsonld-required | structured data | warning | S |  | Incomplete structured data
meta.jsonld-url-broken | structured data | error | H |  | Broken address in structured data
sitemap.missing | sitemap | error | P |  | No sitemap
sitemap.invalid-xml | sitemap | error | P |  | Invalid sitemap
sitemap.non-200 | sitemap | error | X |  | Sitemap lists a missing page
sitemap.noindex-or-canonicalised | sitemap | warning | X |  | Sitemap lists a page that isn’t indexable
sitemap.missing-page | sitemap | warning | X |  | Page missing from the sitemap
sitemap.limits | sitemap | warning | P |  | Sitemap exceeds its limits
sitemap.lastmod-implausible | sitemap | notice | P |  | Implausible date in the sitemap
robots.missing-or-5xx | sitemap | warning | P |  | No robots.txt
robots.no-sitemap-line | sitemap | notice | P |  | robots.txt doesn’t name the sitemap
feed.broken | sitemap | warning | P |  | Invalid feed
i18n.hreflang-return | i18n | warning | X |  | Translation without a return link
i18n.hreflang-invalid | i18n | warning | S |  | Translation with an invalid language
i18n.hreflang-broken | i18n | error | H |  | Broken link to a translation
a11y.axe.* | accessibility | by impact | B | safe | Accessibility barrier
a11y.contrast | accessibility | error | B |  | Text with too little contrast
a11y.incomplete | accessibility | notice | B |  | Accessibility issue to check by hand
a11y.heading-skip | accessibility | notice | S |  | Skipped heading level
a11y.focus-trap-and-order | accessibility | warning | B |  | Keyboard trap or confusing focus order
a11y.target-size | accessibility | warning | B |  | Tap target too small
a11y.reflow-320 | responsive | error | B |  | Page too wide at 320 pixels
resp.overflow-375 | responsive | error | B |  | Page too wide for phones
resp.text-clipped | responsive | warning | B |  | Clipped text
js.console-error | console | error | B |  | Script error
js.request-failed | console | error | B |  | Failed request
js.csp-violation | console | warning | B |  | Content security policy violation
text.spelling | content | notice | S |  | Possible spelling mistake
text.placeholder | content | warning | S |  | Placeholder text
text.sample | content | error | S |  | Text of the sample site
text.mojibake | content | warning | S |  | Garbled characters
`;

/**
 * Names of the rules that have stand-in checks as well, and of what a check reports about itself.
 */
const others: Readonly<Record<string, string>> = {
  "page.not-checked": "Page not checked",
  "a11y.axe.button-name": "Button without a name",
  "a11y.axe.color-contrast-enhanced": "Text below enhanced contrast",
  "a11y.axe.empty-heading": "Empty heading",
  "a11y.axe.frame-title": "Frame without a title",
  "a11y.axe.image-alt": "Image without alt text",
  "a11y.axe.label": "Field without a label",
  "a11y.axe.landmark-one-main": "Page without a main landmark",
  "a11y.axe.link-name": "Link without a name",
  "a11y.axe.list": "List with invalid children",
  "a11y.axe.listitem": "List item outside a list",
  "a11y.axe.role-img-alt": "Graphic without alt text",
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

/** Every check by its id; `a11y.axe.*` stands for all rules of that engine. */
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

/** The title of a check; its id if the check is unknown. */
export function titleOf(check: string): string {
  return others[check] ?? entryOf(check)?.title ?? check;
}
