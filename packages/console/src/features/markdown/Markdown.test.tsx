// @vitest-environment jsdom
import { expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { render } from "../../api/test-render.tsx";
import { MarkdownText } from "./MarkdownText.tsx";

/** The elements that a text becomes, once it is read. */
async function shown(text: string): Promise<string> {
  const { place, close } = render(
    <MarkdownText text={`${text}\n\n**end**`} className="text" />,
    {},
  );
  await eventually(() => expect(place.querySelector("strong")?.textContent).toBeTruthy());
  const html = place.querySelector(".text")?.innerHTML ?? "";
  close();
  return html.replace("<p><strong>end</strong></p>", "");
}

test("paragraphs, lists, code, and emphasis become elements", async () => {
  expect(await shown("## Done\n\nThe *new* `h1` is ~~old~~ **here**.")).toBe(
    "<p><strong>Done</strong></p><p>The <em>new</em> <code>h1</code> is <del>old</del> <strong>here</strong>.</p>",
  );
  expect(await shown("1. one\n2. two\n   - a")).toBe(
    '<ol start="1"><li>one</li><li>two<ul><li>a</li></ul></li></ol>',
  );
  expect(await shown("```js\nif (a < b) {}\n```")).toContain("<code>if (a &lt; b) {}</code>");
  expect(await shown("| a | b |\n|---|---|\n| 1 | 2 |")).toContain("<td>1</td><td>2</td>");
});

test("links lead only to web and email addresses and send no referrer", async () => {
  expect(await shown("[the page](/about/) and <https://example.org/>")).toBe(
    '<p><a href="/about/" target="_blank" rel="noopener noreferrer nofollow">the page</a> and <a href="https://example.org/" target="_blank" rel="noopener noreferrer nofollow">https://example.org/</a></p>',
  );
  for (const href of ["javascript:alert(1)", "data:text/html,x", "//evil.example/", "vbscript:x"]) {
    expect(await shown(`[here](${href})`)).not.toContain("<a");
  }
});

test("abuse 69: markup and images in a text stay text", async () => {
  const evil =
    '<img src=x onerror="alert(1)"> <b>bold</b>\n\n<script>alert(1)</script>\n\n![pixel](https://evil.example/p.png)';
  const html = await shown(evil);
  expect(html).not.toMatch(/<(?:img|b|script)\b/);
  expect(html).toContain("&lt;img src=x onerror=");
  expect(html).toContain("![pixel](https://evil.example/p.png)");
});

test("a text that nests too deeply, or is very long, is shown as written", async () => {
  for (const text of ["> ".repeat(9000), "word ".repeat(5000)]) {
    const { place, close } = render(<MarkdownText text={text} className="text" />, {});
    await eventually(() => expect(place.querySelectorAll("p")).toHaveLength(1));
    expect(place.textContent?.trim()).toBe(text.trim());
    close();
  }
});
