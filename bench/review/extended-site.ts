import { component, content, type Edit, endpoint, page, replace, write } from "./case.ts";

const privacy = `---
import PageHeading from "../components/PageHeading.astro";
import Page from "../layouts/Page.astro";
---

<Page title="Privacy" description="What this site keeps about its visitors, for how long, and whom to ask.">
  <div class="wrap">
    <PageHeading heading="Privacy" lead="This site sets no cookies and counts nobody." />
    <div class="prose">
      <p>Responsible: Mara Lindqvist, Kungsgatan 12, 411 19 Gothenburg, Sweden.</p>
      <p>Messages sent by the form are kept until they are answered, and for one year at most.</p>
      <p>You may ask what is kept about you, have it corrected or deleted, and complain to the data protection authority.</p>
    </div>
  </div>
</Page>
`;

const shop = `---
import PageHeading from "../components/PageHeading.astro";
import Page from "../layouts/Page.astro";
---

<Page title="Book a day" description="One day at your desk, booked and paid in advance.">
  <div class="wrap">
    <PageHeading heading="Book a day" lead="One day at your desk. You get a list of questions in order, and it is deducted from what follows." />
    <div class="offer">
      <p>One day costs €780, paid in advance.</p>
      <p><a href="https://pay.example/mara/day-780">Pay for one day</a></p>
      <p>Or by telephone: <a href="tel:+4631555010">+46 31 555 010</a></p>
      <blockquote>
        <p>She found in one day what we had argued about for two years.</p>
        <footer>Ingrid Berg, Tidewater Fishing Co-operative</footer>
      </blockquote>
      <img src="/media/2026/dfe7d27dcefd-orchard-today-800.webp" width="800" height="600" loading="lazy" alt="A browser window with a green panel that says “Yes, you can come today”." />
    </div>
  </div>
</Page>
`;

/**
 * What owners add to the template: a shop page, legal text, profiles, a redirect from an old
 * address.
 */
export const siteAdditions: readonly Edit[] = [
  write(page("privacy"), privacy),
  write(page("book"), shop),
  write(
    endpoint("humans.txt"),
    'export const GET = () => new Response("Mara Lindqvist, Gothenburg\\n");\n',
  ),
  replace(
    content("site"),
    '{ "label": "RSS", "href": "/rss.xml" },',
    '{ "label": "Privacy", "href": "/privacy/" },\n      { "label": "Book a day", "href": "/book/" },\n      { "label": "RSS", "href": "/rss.xml" },',
  ),
  replace(
    content("resume"),
    '"location": { "city": "Gothenburg", "countryCode": "SE", "region": "Västra Götaland" }',
    '"location": { "city": "Gothenburg", "countryCode": "SE", "region": "Västra Götaland" },\n      "profiles": [{ "network": "GitHub", "username": "maralindqvist", "url": "https://github.example/maralindqvist" }]',
  ),
  replace(
    component("ContactForm"),
    '  <div class="actions">',
    '  <label class="check"><input type="checkbox" name="consent" required /> <span>You may keep my message for one year.</span></label>\n  <div class="actions">',
  ),
];
