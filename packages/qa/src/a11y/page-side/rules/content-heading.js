/** ACT 047fe0: the main content of a page begins with a heading, so that readers can jump to it. */
export const contentHeading = {
  id: "content-heading",
  act: ["047fe0"],
  wcag: ["2.4.1"],
  impact: "moderate",
  message: "The page has headings, but none in its content",
  *run({ document, all, shown, exposed, role, name, texts }) {
    const chrome =
      "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=complementary]";
    // Repeated content is identified by a navigation with links.
    const repeats = all("nav, [role=navigation]").some(
      (nav) => shown(nav) && nav.querySelector("a[href]"),
    );
    if (!repeats || !document.body) return;
    const headings = all("h1, h2, h3, h4, h5, h6, [role=heading]").filter(
      (heading) => exposed(heading) && role(heading) === "heading" && name(heading) !== "",
    );
    // A header inside an article or the main content isn't the site's.
    const isChrome = (element) => {
      const part = element.closest(chrome);
      return part !== null && !part.matches("main header, article header, section header");
    };
    /** The main heading in a page's masthead is about the page, not the site. */
    const isOfMasthead = (heading) =>
      heading.localName === "h1" && heading.closest(chrome)?.localName === "header";
    const rest = texts(document.body).filter(
      ({ parentElement: at }) => at && !isChrome(at) && shown(at),
    );
    const words =
      rest
        .map(({ data }) => data)
        .join(" ")
        .match(/\p{L}+/gu) ?? [];
    if (
      headings.length === 0 ||
      words.length < 15 ||
      !headings.every((heading) => isChrome(heading) && !isOfMasthead(heading))
    )
      return;
    const element = document.querySelector("main, [role=main]") ?? document.body;
    // The content may be a single part, which the title names.
    yield { element, review: true };
  },
};
