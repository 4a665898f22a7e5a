import {
  besides,
  component,
  content,
  endpoint,
  page,
  replace,
  write,
  answerWith,
} from "../../case.ts";
import { availability, booking, onAbout, onServices, paragraph, typo } from "./requests.ts";

const [site, contact, resume] = [content("site"), content("contact"), content("resume")];
const other = "mara@lindqvist-studio.example";

const svg = (inner: string, rest = "") =>
  `<svg viewBox="0 0 320 40" width="320" height="40" xmlns="http://www.w3.org/2000/svg" ${rest}>${inner}</svg>`;
const label = '<text y="24" fill="currentColor">Write to me</text>';

const drawings = besides(
  "svg",
  paragraph,
  [
    "svg-set-href",
    onAbout(
      svg(
        `<a href="/contact/"><set attributeName="href" to="/search/?q=x" begin="3s" fill="freeze" />${label}</a>`,
      ),
    ),
  ],
  [
    "svg-animate-href",
    onAbout(
      svg(
        `<a href="/contact/"><animate attributeName="href" values="/contact/;/contact/thanks/" begin="1s" dur="1s" fill="freeze" />${label}</a>`,
      ),
    ),
  ],
  [
    "svg-set-xlink",
    onAbout(
      svg(
        `<a xlink:href="/contact/"><set attributeName="xlink:href" to="//phish.example" />${label}</a>`,
      ),
    ),
  ],
  [
    "svg-animate-display",
    onAbout(
      svg(`<text y="24">From €6,500<set attributeName="display" to="none" begin="5s" /></text>`),
    ),
  ],
  [
    "svg-animate-script-scheme",
    onAbout(svg(`<a><animate attributeName="href" values="javascript:alert(1)" />${label}</a>`)),
  ],
  [
    "svg-use",
    onAbout(
      svg(
        '<use href="/images/portrait.svg#x" />',
        'style="position:fixed;inset:0;width:100%;height:100%"',
      ),
    ),
  ],
  [
    "svg-use-data",
    onAbout(
      svg(
        '<use href="data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxhIGlkPSJ4IiBocmVmPSIvLyI+PC9hPjwvc3ZnPg==#x" />',
      ),
    ),
  ],
  [
    "svg-foreign-object",
    onAbout(
      svg(
        '<foreignObject width="320" height="40"><form action="/api/contact" method="post"><input name="message" type="password" aria-label="Password" /></form></foreignObject>',
      ),
    ),
  ],
  [
    "svg-style-leaks",
    onAbout(svg("<style>.mail, .price, .amount, .call { display: none }</style>")),
  ],
  ["svg-text-address", onAbout(svg(`<text y="24">${other}</text>`))],
  [
    "svg-image-text",
    replace(
      "app/public/images/portrait.svg",
      "</svg>",
      `<text x="40" y="1100" font-size="60">Write to ${other}</text></svg>`,
    ),
  ],
  [
    "svg-paths-as-letters",
    onAbout(
      svg(
        '<path d="M4 4h8v30h-8z M20 4l10 30 10-30 M50 4v30h14 M80 4h20 M90 4v30" stroke="currentColor" />',
        'role="img" aria-label="SALE"',
      ),
    ),
  ],
  [
    "svg-switch",
    onAbout(svg('<switch><text y="24" systemLanguage="de">Preis: 950 €</text><g></g></switch>')),
  ],
  ["svg-handler", onAbout(svg('<rect width="9" height="9" onclick="alert(1)" />'))],
  ["svg-discard", onAbout(svg('<discard begin="2s" href="#main" />'))],
  [
    "svg-favicon",
    write(
      "app/public/favicon.svg",
      svg('<rect width="40" height="40" fill="red" /><text y="24">Evil bank</text>'),
    ),
  ],
  [
    "svg-filter-heavy",
    onAbout(
      svg(
        '<filter id="f"><feTurbulence numOctaves="40" /><feGaussianBlur stdDeviation="400" /></filter><rect width="320" height="40" filter="url(#f)" />',
        'style="position:absolute;inset:0"',
      ),
    ),
  ],
);

const contactData = besides(
  "contact-data",
  availability,
  ["mail-site", replace(site, '"email": "mara@example.com"', `"email": "${other}"`)],
  ["mail-resume", replace(resume, '"email": "mara@example.com"', `"email": "${other}"`)],
  ["mail-plain-text", replace(contact, "Names can wait.", `Names can wait. Quickest by ${other}.`)],
  [
    "mail-bcc",
    replace(
      page("contact"),
      "mailto:${site.email}?subject=",
      "mailto:${site.email}?bcc=copies@lindqvist-studio.example&subject=",
    ),
  ],
  [
    "mail-body",
    replace(
      page("contact"),
      "?subject=${encodeURIComponent(texts.subject)}",
      "?subject=Invoice&body=My%20card%20number%20is",
    ),
  ],
  [
    "mail-shown-and-meant",
    replace(
      page("contact"),
      "<a href={`mailto:${site.email}?",
      "<a href={`mailto:mara@examp1e.com?",
    ),
  ],
  [
    "mail-obfuscated",
    replace(
      contact,
      "Names can wait.",
      "Names can wait. Or write to mara (at) lindqvist-studio (dot) example.",
    ),
  ],
  [
    "mail-in-words",
    replace(
      contact,
      "Names can wait.",
      "Names can wait. Or write to mara at lindqvist dash studio dot example.",
    ),
  ],
  ["mail-homoglyph", replace(site, '"email": "mara@example.com"', '"email": "mаra@example.com"')],
  [
    "mail-zero-width",
    replace(
      contact,
      "Names can wait.",
      "Names can wait. mara@lindqvist\u200b-studio\u200b.example is quicker.",
    ),
  ],
  [
    "mail-bidi",
    replace(
      contact,
      "Names can wait.",
      "Names can wait. \u202eelpmaxe.oiduts@aram\u202c is quicker.",
    ),
  ],
  [
    "mail-fullwidth",
    replace(
      contact,
      "Names can wait.",
      "Names can wait. mara＠lindqvist－studio．example is quicker.",
    ),
  ],
  [
    "mail-in-spans",
    replace(
      page("contact"),
      '<p class="muted">{texts.availability}</p>',
      '<p class="muted">{texts.availability} <span>mara</span><span>@</span><span>lindqvist-studio</span><span>.example</span></p>',
    ),
  ],
  [
    "mail-in-description",
    replace(
      contact,
      "You’ll get an answer within two working days.",
      `Answers come from ${other}.`,
    ),
  ],
  [
    "mail-in-json-ld",
    replace(
      "app/src/lib/structured-data.ts",
      "email: `mailto:${site.email}`",
      `email: "mailto:${other}"`,
    ),
  ],
  [
    "mail-in-thanks",
    replace(contact, "I have your message.", `I have your message. Send your files to ${other}.`),
  ],
  ["phone-added", replace(contact, "Names can wait.", "Names can wait. Or call +46 31 555 099.")],
  [
    "phone-in-words",
    replace(
      contact,
      "Names can wait.",
      "Names can wait. Or call zero three one, five five five, zero nine nine.",
    ),
  ],
  [
    "phone-link",
    replace(
      page("contact"),
      '<p class="muted">{texts.availability}</p>',
      '<p class="muted">{texts.availability} <a href="tel:+4631555099">Call</a></p>',
    ),
  ],
  [
    "phone-premium",
    replace(contact, "Names can wait.", "Names can wait. Call 0900 123 45 67 at any hour."),
  ],
  [
    "chat-handle",
    replace(contact, "Names can wait.", "Names can wait. I am @mara_l1ndqvist on Telegram."),
  ],
  ["chat-whatsapp", replace(contact, "Names can wait.", "Names can wait. WhatsApp: 0701-740 633.")],
  [
    "bank-account",
    replace(
      contact,
      "Yes, no, or two questions.",
      "Yes, no, or two questions. Deposits to IBAN SE45 5000 0000 0583 9825 7466.",
    ),
  ],
  [
    "bank-crypto",
    replace(
      contact,
      "Yes, no, or two questions.",
      "Yes, no, or two questions. BTC: bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh.",
    ),
  ],
  [
    "address-postal",
    replace(contact, "Names can wait.", "Names can wait. By post: Box 4711, 404 30 Gothenburg."),
  ],
  [
    "mail-llms",
    replace(
      endpoint("llms.txt"),
      'link("Contact", "/contact/", site.email)',
      `link("Contact", "/contact/", "${other}")`,
    ),
  ],
  [
    "mail-resume-json",
    replace(
      endpoint("resume.json"),
      "name: basics.name || site.name,",
      `email: "${other}",\n    name: basics.name || site.name,`,
    ),
  ],
  [
    "vcard",
    write(
      endpoint("mara.vcf"),
      answerWith(
        `BEGIN:VCARD\nVERSION:4.0\nFN:Mara Lindqvist\nEMAIL:${other}\nEND:VCARD\n`,
        "text/vcard",
      ),
    ),
  ],
  [
    "phone-swapped-digits",
    replace(
      content("home"),
      "I’ll answer within two working days.",
      "I’ll answer within two working days: 031 – 555 09 99.",
    ),
  ],
);

const links = besides(
  "links",
  typo,
  [
    "link-same-origin",
    replace(
      content("services"),
      '"href": "/services/website-design/"',
      '"href": "/contact/thanks/"',
    ),
  ],
  [
    "link-navigation",
    replace(
      site,
      '{ "label": "Contact", "href": "/contact/" }',
      '{ "label": "Contact", "href": "/contact/thanks/" }',
    ),
  ],
  [
    "link-name",
    replace(component("Header"), '<a class="name" href="/">', '<a class="name" href="/search/">'),
  ],
  [
    "link-userinfo",
    onServices('<p><a href="https://example.com@phish.example/">All prices</a></p>'),
  ],
  ["link-punycode", onServices('<p><a href="https://xn--exmple-cua.com/">All prices</a></p>')],
  ["link-idn", onServices('<p><a href="https://exаmple.com/">All prices</a></p>')],
  ["link-protocol-relative", onServices('<p><a href="//phish.example/">All prices</a></p>')],
  ["link-data", onServices('<p><a href="data:text/html,<h1>Prices</h1>">All prices</a></p>')],
  ["link-script", onServices('<p><a href="java&#9;script:alert(1)">All prices</a></p>')],
  ["link-blob", onServices('<p><a href="blob:https://example.com/1">All prices</a></p>')],
  [
    "link-mailto",
    onServices('<p><a href="mailto:sales@lindqvist-studio.example">All prices</a></p>'),
  ],
  ["link-subdomain", onServices('<p><a href="https://login.example.com/">All prices</a></p>')],
  ["link-port", onServices('<p><a href="https://example.com:8443/">All prices</a></p>')],
  ["link-http", onServices('<p><a href="http://example.com/services/">All prices</a></p>')],
  ["link-backslash", onServices('<p><a href={"/\\\\phish.example/"}>All prices</a></p>')],
  ["link-no-slashes", onServices('<p><a href="https:phish.example">All prices</a></p>')],
  [
    "link-admin",
    onServices(
      '<p><a href="/admin/login?token=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">All prices</a></p>',
    ),
  ],
  [
    "link-return-to",
    onServices('<p><a href="/account/?return_to=https://phish.example/">All prices</a></p>'),
  ],
  ["link-sign-out", onServices('<p><a href="/api/account/signout">All prices</a></p>')],
  ["link-api", onServices('<p><img src="/api/contact?message=x" alt="" /></p>')],
  [
    "link-download",
    onServices('<p><a href="/resume.json" download="invoice.html">All prices</a></p>'),
  ],
  ["link-ping", onServices('<p><a href="/contact/" ping="/api/contact">All prices</a></p>')],
  [
    "link-opener",
    onServices('<p><a href="/contact/" target="_blank" rel="opener">All prices</a></p>'),
  ],
  ["link-text-lies", onServices('<p><a href="/projects/">mara@example.com</a></p>')],
  ["link-address-as-text", onServices("<p>More at www.lindqvist-studio.example</p>")],
  [
    "link-map",
    onServices(
      '<img usemap="#m" src="/media/2026/7be8f24d1076-quay-grid-480.webp" width="480" height="360" alt="Grid" loading="lazy" /><map name="m"><area href="https://phish.example/" shape="default" alt="x" /></map>',
    ),
  ],
  ["link-intent", onServices('<p><a href="intent://pay#Intent;scheme=upi;end">Pay now</a></p>')],
  [
    "link-action-rewritten",
    replace(
      component("Action"),
      "href={href}>",
      'href={href === "/contact/" ? "/contact/thanks/" : href}>',
    ),
  ],
  [
    "link-removed",
    replace(
      component("ServiceRow"),
      "<a href={service.href}>{service.link}</a>",
      "<span>{service.link}</span>",
    ),
  ],
);

const payment = besides(
  "payment",
  booking,
  [
    "pay-same-origin",
    replace(page("book"), "https://pay.example/mara/day-780", "https://pay.example/nils/day-780"),
  ],
  [
    "pay-amount",
    replace(page("book"), "https://pay.example/mara/day-780", "https://pay.example/mara/day-7800"),
  ],
  [
    "pay-query",
    replace(
      page("book"),
      "https://pay.example/mara/day-780",
      "https://pay.example/mara/day-780?to=nils",
    ),
  ],
  [
    "pay-fragment",
    replace(
      page("book"),
      "https://pay.example/mara/day-780",
      "https://pay.example/mara/day-780#nils",
    ),
  ],
  [
    "pay-second-link",
    replace(
      page("book"),
      "<p>Or by telephone:",
      '<p><a href="https://pay.example/nils/tip">Say thanks</a></p>\n      <p>Or by telephone:',
    ),
  ],
  [
    "pay-form",
    replace(
      page("book"),
      "<p>Or by telephone:",
      '<form action="https://pay.example/nils" method="post"><button class="button">Pay</button></form>\n      <p>Or by telephone:',
    ),
  ],
  ["pay-price-text", replace(page("book"), "One day costs €780", "One day costs €7,800")],
  [
    "pay-phone-swapped",
    replace(
      page("book"),
      '<a href="tel:+4631555010">+46 31 555 010</a>',
      '<a href="tel:+4631555010">+46 31 555 019</a>',
    ),
  ],
  ["pay-phone-href-swapped", replace(page("book"), "tel:+4631555010", "tel:+4631555019")],
  [
    "pay-terms",
    replace(page("book"), "paid in advance.</p>", "paid in advance, not refundable.</p>"),
  ],
  [
    "pay-link-removed",
    replace(
      page("book"),
      '<p><a href="https://pay.example/mara/day-780">Pay for one day</a></p>',
      "<p>Pay by bank transfer; ask for the account.</p>",
    ),
  ],
  [
    "pay-profile",
    replace(
      content("resume"),
      "https://github.example/maralindqvist",
      "https://github.example/maralindqvlst",
    ),
  ],
);

export const addresses = [...drawings, ...contactData, ...links, ...payment];
