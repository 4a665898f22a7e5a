/**
 * ACT c4a8a4: the title says what the page is about, not only whose it is. Certain only if it is what
 * a tool fills in by default; otherwise, a person has to decide.
 */
export const pageTitle = {
  id: "page-title-descriptive",
  act: ["c4a8a4"],
  wcag: ["2.4.2"],
  impact: "moderate",
  message: "The title says whose page it is but not what it is about",
  *run({ document, plain, shown, texts }) {
    const element = document.querySelector("title");
    const title = plain(element?.textContent ?? "");
    const unset =
      /^(untitled( document| page)?|new page|page title|index html|react app|vite app|home page title)$/;
    const vague = /^(document|page|title|index)$/;
    if (title === "") return;
    const stems = (words) => words.split(" ").map((word) => word.slice(0, 4));
    /** None of several words, nor their stems, occur on a page with text. */
    const saysNothingOfIt = (words) => {
      const of = stems(words).filter((stem) => stem.length === 4);
      if (of.length < 3 || !/^[\p{Script=Latin}\d ]+$/u.test(words)) return false;
      const seen = texts(document.body).filter(({ parentElement: at }) => at && shown(at));
      const described = Array.from(
        document.querySelectorAll("[alt], [aria-label], [title], [href]"),
      );
      const read = plain(seen.map(({ data }) => data).join(" "));
      const names = described.map((at) =>
        ["alt", "aria-label", "title", "href"].map((is) => at.getAttribute(is) ?? "").join(" "),
      );
      const sets = plain(`${read} ${names.join(" ")} ${document.location.host}`);
      const known = new Set(stems(sets));
      return read.split(" ").length >= 8 && of.every((stem) => !known.has(stem));
    };
    if (unset.test(title)) {
      yield { element, message: "The title is a placeholder" };
      return;
    }
    if (vague.test(title)) {
      yield { element, review: true, message: "The title may be a placeholder" };
      return;
    }
    if (saysNothingOfIt(title)) {
      const message = "The title has no word in common with the page";
      yield { element, review: true, message };
      return;
    }
    // The home page may be named after the site.
    const { pathname } = document.location;
    if (/^\/(index\.\w+)?$/.test(pathname)) return;
    const headings = Array.from(document.querySelectorAll("h1")).filter(shown);
    if (headings.length !== 1) return;
    const heading = plain(headings[0].textContent ?? "");
    // “Projects by Jane Doe” with the title “Jane Doe”, but not “A life of Jane Doe”: if the page
    // says more about the person in the title, it may be about them.
    const before = heading.endsWith(` ${title}`) ? heading.slice(0, -title.length).trim() : "";
    const joined = /^(.+) (at|by|of|from)( the)?$/.exec(before);
    if (
      joined &&
      !/^(welcome|portfolio|home|website|site|works?|the (portfolio|website|home))$/.test(joined[1])
    ) {
      yield { element, review: true };
    }
  },
};
