import type { SiteFixture } from "../fixture.ts";

const page = (title: string, words: string) =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${words}</p></main>`;
const home = page("Boats", "Pictures of boats and harbours.");
const lost = page("Lost", "There is no such drawing in this house.");

export const cases: SiteFixture = {
  "page.soft-404": {
    bad: [
      {
        why: "it says so",
        responses: { "/": home, "/x/": page("Page not found | Boats", "Go home.") },
        page: "/x/",
        evidence: { phrase: "Page not found" },
      },
      {
        why: "like what is nowhere",
        responses: { "/": home, "/work/x/": lost },
        baselines: { "/work/": lost },
        page: "/work/x/",
        evidence: { similarity: 1, phrase: null },
      },
    ],
    good: [
      { why: "it answers with 404", responses: { "/": home, "/x/": { status: 404, body: lost } } },
      { why: "the page for it", responses: { "/": home, "/404.html": page("404", "Go home.") } },
      {
        why: "writes of such pages",
        responses: { "/": home, "/x/": page("404: a history", "word ".repeat(200)) },
      },
      {
        why: "one page stands for all",
        responses: { "/": home, "/app/": home },
        baselines: { "/": home },
      },
      {
        why: "it has looked for something",
        responses: { "/": home, "/?s=x": page("Nothing found", "Try other words.") },
      },
      { why: "another page", responses: { "/": home, "/x/": lost }, baselines: { "/": home } },
      { why: "a name", responses: { "/": home, "/x/": page("Room 404", "A room in a house.") } },
    ],
  },
};
