import { describe, expect, test } from "vitest";
import type { Folder } from "../folder/folder.ts";
import { makeResolver } from "../folder/resolve.ts";
import { joinBody } from "./body.ts";
import { fieldNames } from "./field-names.ts";
import { readStudy } from "./study.ts";

const folder: Folder = {
  root: "/nowhere",
  files: new Map(
    [
      "work/a.jpg",
      "work/b.png",
      "work/sub/c.webp",
      "film.mp4",
      "images/top.jpg",
      "work/Übersicht.png",
    ].map((path) => [path.normalize("NFD"), 10]),
  ),
  others: new Set(["work/link.jpg", "work/linked"]),
};
const resolver = makeResolver(folder);

function read(text: string, path = "work/study.md") {
  const stem = path.replace(/^.*\//, "").replace(/\.md$/, "");
  const file = {
    path,
    stem,
    date: null,
    doubt: null,
    isEntry: false,
    isDraft: false,
    bundle: null,
    sections: [],
  };
  const { study, problems } = readStudy(file, text, (address) => resolver(address, "work"));
  const reported = problems.map(({ level, line, field, message }) =>
    [level, line, field, message].filter((part) => part !== null).join(" "),
  );
  const body = study && joinBody(study.body, (at) => `<${at}>`);
  return {
    study,
    told: reported,
    body,
    errors: reported.filter((each) => each.startsWith("error")),
  };
}

const front = (lines: string, body = "Text.") => `---\n${lines}\n---\n${body}\n`;

describe("front matter of generators", () => {
  test.each([
    ["Hugo", "title: A\nweight: 3\ndraft: true\nparams:\n  role: Lead\nsummary: S"],
    ["Jekyll", "layout: post\ntitle: A\npublished: false\nexcerpt: S\nrole: Lead\norder: 3"],
    [
      "Astro",
      "title: A\ndescription: S\npubDate: 2024-05-01\nstatus: draft\nrole: Lead\nsortOrder: 3",
    ],
  ])("%s", (_name, lines) => {
    const { study, errors } = read(front(lines));
    expect(errors).toEqual([]);
    expect(study).toMatchObject({
      slug: "study",
      order: 3,
      fields: { name: "A", summary: "S", role: "Lead", status: "draft" },
    });
  });

  test("every field name is read in any of its spellings", () => {
    for (const name of fieldNames.cover) {
      const spelled = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect(read(front(`title: A\n${spelled}: a.jpg`)).study?.gallery).toHaveLength(1);
    }
  });

  test("a complete record", () => {
    const { study, told: reported } = read(
      front(
        `title: A
slug: /projects/my-study/
lede: |
  First.

  Second.
client: Port
role: [Design, Code]
start: 2023-02
end: 2024
categories: one, two
tags: [Two, three]
tech: [Astro, 11]
skills: {Design: [Form], Code: "CSS, HTML"}
metrics: {Calls: -41 %, Days: 3}
reel: https://www.instagram.com/reel/abc/
audience: invited
published: 2024-05-01
brief: Private`,
      ),
    );
    expect(reported).toEqual([]);
    expect(study).toMatchObject({
      slug: "my-study",
      gallery: null,
      fields: {
        lede: "First.\n\nSecond.",
        role: "Design, Code · Port",
        period: "2023 – 2024",
        categories: ["one", "two", "three"],
        stack: ["Astro", "11"],
        skills: [
          { group: "Design", items: ["Form"] },
          { group: "Code", items: ["CSS", "HTML"] },
        ],
        metrics: [
          { value: "-41 %", label: "Calls" },
          { value: "3", label: "Days" },
        ],
        reelUrl: "https://www.instagram.com/reel/abc/",
        audience: "invited",
        status: "published",
        brief: "Private",
      },
    });
  });

  test("unknown fields are reported with their line", () => {
    const { told: reported } = read(
      front("title: A\nlayout: x\nparams:\n  toc: true\nexcerpt: S\nsummary: T"),
    );
    expect(reported).toEqual([
      "note 3 layout isn't used here",
      "note 5 params.toc isn't used here",
      "note 6 excerpt isn't used here",
    ]);
  });

  const beyond = `title: A\nsummary: ${"x".repeat(281)}\nmetrics:\n  - value: 1\n    label: ${"y".repeat(61)}\naudience: friends\nskills: 4\ndraft: perhaps`;

  test("texts that are too long are reported with line, field, and length, and the rest is imported", () => {
    const { study, told: reported } = read(front(beyond));
    expect(reported).toEqual([
      "warning 3 summary must be at most 280 characters, not 281, so it's shortened",
      "warning 7 audience must be everyone, members or invited, so it's left out",
      "warning 8 skills must be a list, so it's left out",
      "warning 6 metrics.0.label must be at most 60 characters, so it's left out",
    ]);
    // Whom it was for is unclear: nobody sees it.
    expect(study?.fields).toMatchObject({ name: "A", status: "draft", metrics: [] });
    expect(study?.fields.summary).toHaveLength(280);
    expect(study?.fields.audience).toBeUndefined();
    expect(read(front("title: A\ndraft: perhaps")).study?.fields.status).toBe("draft");
  });

  test("an export is imported exactly as it is or not at all", () => {
    const { study, errors } = read(front(`vitrine: 1\n${beyond}`));
    expect(study).toBeNull();
    expect(errors).toContain("error 4 summary must be at most 280 characters, not 281");
  });

  test.each([
    ["+++\ntitle = 'A'\ndate = 2024-05-04\n[params]\nrole = 'Lead'\n+++\nText", "TOML"],
    ['{\n  "title": "A",\n  "date": "2024-05-04",\n  "role": "Lead"\n}\nText', "JSON"],
    ['---json\n{"title": "A", "date": "2024-05-04", "role": "Lead"}\n---\nText', "JSON"],
    ["---toml\ntitle = 'A'\ndate = 2024-05-04\nrole = 'Lead'\n---\nText", "TOML"],
    ["---\ntitle: B\ntitle: A\ndate: 2024-05-04\nrole: Lead\n---\nText", "YAML"],
  ])("%.20j is read as %s", (text) => {
    const { study, body, told: reported } = read(text);
    expect(study?.fields).toMatchObject({ name: "A", role: "Lead", period: "2024" });
    expect([body?.trim(), reported]).toEqual(["Text", []]);
  });

  test.each([
    [
      `title: A\nsummary: "One.\nIt's two, \\"three\\".\n\nFour."\nrole: Lead`,
      `One. It's two, "three". Four.`,
    ],
    [`title: A\nsummary: 'One.\nIt''s two.'\nrole: Lead`, "One. It's two."],
  ])("a quoted text may go on at the beginning of a line: %.30j", (yaml, summary) => {
    const { study, told: reported } = read(front(yaml));
    expect(study?.fields).toMatchObject({ name: "A", role: "Lead" });
    expect(study?.fields.summary).toBe(summary);
    expect(reported).toEqual([]);
  });

  test("a quoted text that never ends is refused, at its line", () => {
    const { study, errors } = read('---\ntitle: A\nsummary: "One.\nTwo.\n---\nText');
    expect(study).toBeNull();
    expect(errors.join()).toContain("isn't valid YAML");
  });

  test("a study without a title gets the name of its file", () => {
    expect(read("Text", "work/harbour-signs.md").study?.fields.name).toBe("Harbour signs");
  });

  test.each([
    ["---js\n({})\n---\nText", "JS, which isn't supported"],
    ["+++\ntitle = \n+++\nText", "isn't valid TOML"],
    ["---json\n{]\n---\nText", "isn't valid JSON"],
    ["---\ntitle: A\nText without an end", "doesn't end"],
    ["---\ntitle: [A\n---\nText", "isn't valid YAML"],
    ["---\n- a\n- b\n---\n", "isn't a list of names"],
    [`---\n${"a: x\n".repeat(1)}${"# x\n".repeat(20_000)}---\n`, "longer than 64 KiB"],
    [
      `---\na: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `${"bcdefghij"[i]}: &${"bcdefghij"[i]} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[i]}`).join(",")}]`).join("\n")}\n---\n`,
      "can't be read",
    ],
    [`---\ntitle: ${"[".repeat(20_000)}\n---\n`, "too deep"],
  ])("%.30j is refused: %s", (text, why) => {
    const { study, errors } = read(text);
    expect(study).toBeNull();
    expect(errors.join()).toContain(why);
  });

  test("names of built-in object properties are names like any other", () => {
    const { study, told: reported } = read(
      front("title: A\n__proto__: {role: evil}\nconstructor: 1\ntoString: 2"),
    );
    expect(study?.fields.role).toBeUndefined();
    expect(reported).toHaveLength(3);
    expect(Object.prototype).not.toHaveProperty("role");
  });

  test("the first heading may be the title, with or without front matter", () => {
    expect(read("# The *name* #\n\nText.")).toMatchObject({
      study: { fields: { name: "The name" } },
      body: "\n\nText.",
    });
    expect(read(front("role: x", "Name\n====\nText")).study?.fields.name).toBe("Name");
    expect(read(front("title: A", "# Kept")).body).toContain("# Kept");
  });

  test("start and end become a period in the site's format", () => {
    const period = (lines: string) => {
      const { study, told: reported } = read(front(`title: A\n${lines}`));
      return [study?.fields.period, ...reported];
    };
    for (const end of ["present", "Now", "ongoing", "–"]) {
      expect(period(`start: 2022-03\nend: "${end}"`)).toEqual(["2022 – now"]);
    }
    expect(period("start: 2022-03\nend: 2022-11")).toEqual(["2022"]);
    expect(period("start: March 2022\nend: June 2024")).toEqual(["2022 – 2024"]);
    expect(period("start: 2022\nend:")).toEqual(["2022"]);
    expect(period("start: 2022Q1\nend: 2023_03")).toEqual(["2022 – 2023"]);
    expect(period("end: 2024")).toEqual(["2024"]);
    expect(period("start: 2022\nend: soon")).toEqual([
      "2022",
      "warning 4 end has no year such as 2026, so it's left out",
    ]);
    expect(period("end: present\ndate: 2023-01-01")).toEqual(["2023"]);
  });

  test("words for a status are understood", () => {
    const status = (lines: string) => read(front(`title: A\n${lines}`)).study?.fields.status;
    expect(status("status: private")).toBe("draft");
    expect(status("status: publish")).toBe("published");
    expect(status("draft: false")).toBe("published");
    expect(status("status: completed")).toBeUndefined();
    expect(status("role: x")).toBeUndefined();
  });
});

describe("images", () => {
  test("cover, gallery, video, and images that stand alone in the text become the gallery, each once", () => {
    const {
      study,
      body,
      told: reported,
    } = read(
      front(
        "title: A\ncover: {src: ./a.jpg, caption: First}\nvideo: ../film.mp4",
        'Before.\n\n![Bee](b.png "A caption")\n![A](a.jpg)\n\nIn ![C](sub/c.webp) text, `![x](a.jpg)`.\n\n```\n![y](b.png)\n```',
      ),
    );
    expect(study?.gallery).toEqual([
      { path: "work/a.jpg", alt: "A", caption: "First" },
      { path: "film.mp4", alt: undefined, caption: "" },
      { path: "work/b.png", alt: "Bee", caption: "A caption" },
    ]);
    expect(body).toBe(
      "Before.\n\nIn ![C](<work/sub/c.webp>) text, `![x](a.jpg)`.\n\n```\n![y](b.png)\n```\n",
    );
    expect(reported).toEqual(["warning film.mp4 has no alt text"]);
  });

  test("the text's descriptions are kept, even if the text keeps its images", () => {
    const gallery = (head: string, text: string) => read(front(`title: A\n${head}`, text));
    const { study, told: reported } = gallery(
      "cover: a.jpg\nimages: [b.png, {src: sub/c.webp, alt: ''}]",
      "![The sea](a.jpg)\n\nIn ![A bee](b.png) and ![No](sub/c.webp) text.",
    );
    expect(study?.gallery?.map(({ alt }) => alt)).toEqual(["The sea", "A bee", ""]);
    expect(reported.filter((each) => each.includes("a.jpg") || each.includes("b.png"))).toEqual([]);
    const { study: own } = gallery("cover: {src: a.jpg, alt: Mine}", "See ![The sea](a.jpg).");
    expect(own?.gallery?.[0]?.alt).toBe("Mine");
  });

  test("a gallery in the front matter leaves the text unchanged", () => {
    const { study, body } = read(
      front(
        "title: A\nimages: [b.png]",
        "![A](a.jpg)\n\n[![C](sub/c.webp)](a.jpg)\n\n![by name][n]\n\n[n]: a.jpg",
      ),
    );
    expect(study?.gallery).toHaveLength(1);
    expect(body).toBe(
      "![A](<work/a.jpg>)\n\n[![C](<work/sub/c.webp>)](<work/a.jpg>)\n\n![by name][n]\n\n[n]: <work/a.jpg>\n",
    );
  });

  test("names with spaces, decomposed accents, percent signs, or a different case are found", () => {
    const find = (address: string) => resolver(address, "work");
    expect(find("%C3%9Cbersicht.png")).toMatchObject({ differs: false });
    expect(find("Übersicht.png".normalize("NFC"))).toMatchObject({ differs: false });
    expect(find("A.JPG")).toEqual({ path: "work/a.jpg", differs: true });
    expect(find("/images/top.jpg?v=2#x")).toEqual({ path: "images/top.jpg", differs: false });
    expect(find("../work/./a.jpg")).toEqual({ path: "work/a.jpg", differs: false });
  });

  test.each([
    ["../../etc/passwd", "points outside"],
    ["%2e%2e/%2e%2e/etc/passwd", "points outside"],
    ["%252e%252e/%252e%252e/x", "doesn't exist"],
    ["..%2f..%2fetc/passwd", "points outside"],
    ["/../../etc/passwd", "points outside"],
    ["/etc/passwd", "doesn't exist"],
    ["..\\..\\x", "aren't allowed in an address"],
    ["a.jpg%00.png", "aren't allowed in an address"],
    ["file:///etc/passwd", "isn't an address inside"],
    ["C:/x.jpg", "isn't an address inside"],
    ["link.jpg", "link"],
    ["linked/x.jpg", "link"],
    ["%zz", "isn't a valid address"],
    ["", "doesn't name a file"],
  ])("%j stays outside", (address, why) => {
    const found = resolver(address, "work");
    expect("fault" in found && found.fault).toContain(why);
  });

  test("images on other sites are reported and not fetched", () => {
    const {
      study,
      told: reported,
      body,
    } = read(
      front(
        "title: A\ncover: //cdn.example/x.jpg",
        "![far](https://example.com/x.png) and ![d](data:image/png;base64,AA)",
      ),
    );
    expect(study?.gallery).toEqual([]);
    expect(reported.filter((each) => each.startsWith("warning")).length).toBe(3);
    expect(body).toContain("https://example.com/x.png");
  });

  test("a missing image in the text is reported with its line", () => {
    expect(read(front("title: A", "One\n\n![x](gone.jpg)")).told).toEqual([
      "warning 6 gone.jpg doesn't exist, so it's left out",
    ]);
  });

  test("images beyond a project's limit are left out and reported", () => {
    const list = Array.from({ length: 61 }, () => "a.jpg").join(", ");
    expect(read(front(`title: A\nvitrine: 1\ngallery: [${list}]`)).errors.join()).toContain("61");
  });
});

test("texts and links in the front matter are added to the text", () => {
  const { body, told: reported } = read(
    front(
      'title: A\nchallenge: "No light at night."\nbuildGoals: x\noutcomes_text: x\ngithub: https://github.com/a/b\nlink: javascript:alert(1)',
      "Overview.",
    ),
  );
  expect(body).toBe(
    "## Challenge\n\nNo light at night.\n\nOverview.\n\n[Source code](https://github.com/a/b)",
  );
  expect(reported.map((each) => each.split(" ")[2])).toEqual([
    "buildGoals",
    "outcomes_text",
    "link",
  ]);
});

test("markup that only a generator can render is reported", () => {
  const text = front(
    "title: A",
    "{{< figure >}}\n\n{% include x %}\n\n<img src=x>\n\n`<div>`\n\n[there](other.md)",
  );
  const { told: reported, body } = read(text);
  expect(reported).toEqual([
    "warning left out of the text: {{< figure >}}, {% include x %}",
    "warning x doesn't exist, so it's left out",
  ]);
  expect(body).toBe("![](x)\n\n`<div>`\n\n[there](other.md)\n");
});

describe("a container's title becomes a bold line before its text", () => {
  const body = (text: string, path?: string) => read(front("title: A", text), path).body?.trim();

  test.each([
    [":::note Mind the gap\nIt is wide.\n:::", "**Mind the gap**\n\nIt is wide."],
    [":::note[Mind the gap]\nIt is wide.\n:::", "**Mind the gap**\n\nIt is wide."],
    ['::::tip{title="Mind the gap"}\nIt is wide.\n::::', "**Mind the gap**\n\nIt is wide."],
    ['::: {.note title="Mind the gap"}\nIt is wide.\n:::', "**Mind the gap**\n\nIt is wide."],
    ["Before\n\n::: warning\nIt is wide.\n:::\n\nAfter", "Before\n\nIt is wide.\n\nAfter"],
    ["> [!NOTE] Mind the gap\n> It is wide.", "> **Mind the gap**\n>\n> It is wide."],
    ["> [!tip]-\n> It is wide.", ">\n> It is wide."],
  ])("%j", (text, expected) => {
    expect(body(text)).toBe(expected);
  });

  test.each([
    [
      '<Callout title="Mind the gap">\n  It is wide.\n</Callout>',
      "**Mind the gap**\n\nIt is wide.",
    ],
    ['<Aside type="tip" title={"Mind it"}>It is wide.</Aside>', "**Mind it**\n\nIt is wide."],
    ['<TabItem label="npm">\nRun it.\n</TabItem>', "**npm**\n\nRun it."],
    ['<Callout type="warning">\nIt is wide.\n</Callout>', "It is wide."],
    ['<Tooltip title="A gap">the gap</Tooltip>', "the gap"],
    // The image is in the gallery, with the title as its caption.
    ['<Figure title="A gap" src="a.jpg">\nIt is wide.\n</Figure>', "It is wide."],
  ])("MDX: %j", (text, expected) => {
    expect(body(text, "work/study.mdx")).toBe(expected);
  });

  test("code with such marks stays unchanged", () => {
    const code = "```md\n:::note Title\n:::\n```";
    expect(body(`${code}\n\nThe mark \`:::note\` begins one.`)).toBe(
      `${code}\n\nThe mark \`:::note\` begins one.`,
    );
  });
});

describe("what only a generator understands becomes Markdown", () => {
  const body = (text: string, path?: string) => read(front("title: A", text), path).body?.trim();

  test.each([
    [
      '{{< highlight go "linenos=table" >}}\nx := "{{ y }}"\n{{< /highlight >}}',
      '```go\nx := "{{ y }}"\n```',
    ],
    ['{{< code lang="css" >}}\na {}\n{{< /code >}}', "```css\na {}\n```"],
    ["{{< mermaid >}}graph TD; A-->B;{{< /mermaid >}}", "```mermaid\ngraph TD; A-->B;\n```"],
    [
      "```md\n{{< highlight go >}}x{{< /highlight >}}\n```",
      "```md\n{{< highlight go >}}x{{< /highlight >}}\n```",
    ],
    ['{{< button href="https://x.y" >}}Visit it{{< /button >}}', "[Visit it](https://x.y)"],
    ['{{< button "https://x.y" "Visit it" >}}', "[Visit it](https://x.y)"],
    ["{{< columns >}}L\n<--->\nR{{< /columns >}}", "L\n\nR"],
    ['{{< note >}}It\'s {{< ref "b" >}} fine{{< /note >}}', "It's [b](b) fine"],
    ["{% if x %}A{% else %}B{% if y %}C{% else %}D{% endif %}{% endif %}, E", "A, E"],
    ["{% if x %}A{% else %}B", "AB"],
    ["{% case x %}{% when 1 %}A{% when 2 %}B{% endcase %}", "A"],
    ["{% raw %}{{ x }}{% endraw %} and <b>bold</b>", "{{ x }} and **bold**"],
    ["```liquid\n{% raw %}{{ x }}{% endraw %}\n```", "```liquid\n{{ x }}\n```"],
    ["==marked==, a == b == c", "**marked**, a == b == c"],
  ])("%j", (text, expected) => {
    expect(body(text)).toBe(expected);
  });

  test.each([
    ["export const items = [{ n: 1 }, { n: 2 }];\n\nText.", "Text."],
    ["export const items = [\n  1,\n\n  2,\n];\n\nText's end.", "Text's end."],
    ["export default ({ children }) => <L>{children}</L>\n\nText.", "Text."],
    ["export { x } from './y';\n\nText.", "Text."],
    [
      "export const open = [\n\nA paragraph that somebody wrote about it all.",
      "A paragraph that somebody wrote about it all.",
    ],
    ["$E_{kin}$ and $$\\frac{a}{b}$$ for $5", "$E_{kin}$ and $$\\frac{a}{b}$$ for $5"],
  ])("MDX: %j", (text, expected) => {
    expect(body(text, "work/study.mdx")).toBe(expected);
  });

  test("images in tags whose arguments have braces, credits, and patterns", () => {
    const { study, body: text } = read(
      front(
        "title: A",
        [
          '{{ macro.img({src: "a.jpg", alt: "One"}) | safe }}',
          '{{< gallery match="*.png" >}}\nBetween.',
          '{{< figure src="b.png" link="sub/c.webp" caption="A {braced} word" attr="Jane" attrlink="https://jane.dev" >}}',
        ].join("\n\n"),
      ),
    );
    expect(study?.gallery?.map(({ alt }) => alt)).toEqual(["One", "A {braced} word"]);
    expect(text?.trim()).toBe("Between.\n\n[Jane](https://jane.dev)");
  });

  test.each([
    "# ",
    "{%a",
    "{{<a ",
    "{{< a='",
    "{{a ",
    "{% raw %}",
    "{% highlight x %}",
    "{{< code >}}",
    "$a_",
    "[[a",
    "==a",
    "{% if x %}{% else %}",
  ])("a text of 96,000 characters of %j is read", (part) => {
    const ends = "endraw endhighlight {{< /x >}}";
    const text = `${part.repeat(96_000 / part.length)}${" ".repeat(50)}${ends}`;
    expect(read(front("title: A", text), "work/study.mdx").study).not.toBeNull();
  });
});

test("a text with lists nested thousands deep is read unchanged", () => {
  const text = `${"> ".repeat(20_000)}x`;
  expect(read(front("title: A", text)).body).toContain("> > >");
});

describe("components of MDX", () => {
  const mdx = (text: string) => {
    const { body, told } = read(front("title: A", text), "work/study.mdx");
    return { body: body?.trim(), told };
  };

  test.each([
    [
      'By <Link href="https://x.example">the team</Link> and <ExternalLink to="https://z.example">Zed</ExternalLink>, see.',
      "By [the team](https://x.example) and [Zed](https://z.example), see.",
    ],
    ["It is <Badge>hot</Badge> now.", "It is hot now."],
    ['<Button href="https://demo.example">Live demo</Button>', "[Live demo](https://demo.example)"],
    ['<LinkCard title="Docs" href="https://d.example" />', "[Docs](https://d.example)"],
    [
      '<Card title="Docs" href="https://d.example">\nOne.\n\nTwo.\n</Card>',
      "One.\n\nTwo.\n\n[Docs](https://d.example)",
    ],
    ['<Quote author="Jane">It works.</Quote>', "> It works.\n>\n> — Jane"],
    ["<Items><Item>a</Item><Item>b</Item></Items>", "a\n\nb"],
  ])("%j", (text, expected) => {
    expect(mdx(text)).toEqual({ body: expected, told: [] });
  });

  test("an address that can't be kept is reported", () => {
    expect(
      mdx('See <Link href={site.url}>it</Link>.\n\n<Card href="/x">\n\nA\n\nB\n\n</Card>').told,
    ).toEqual(["warning left out of the text: href of <Link>, /x of <Card>"]);
  });
});

describe("footnotes become raised numbers and a list at the end", () => {
  const convert = (text: string) => {
    const { body, told } = read(front("title: A", text));
    return { body: body?.trim(), told };
  };

  test.each([
    [
      "One[^b]. Two[^a][^b].\n\n[^a]: First, with\nits line.\n[^b]: Second.\n\n    More of it.\n\nEnd.",
      "One¹. Two²,¹.\n\nEnd.\n\n**Notes**\n\n1. Second.\n\n   More of it.\n2. First, with\n   its line.",
    ],
    [
      "It holds^[See [there](https://x.example), p. 3].",
      "It holds¹.\n\n**Notes**\n\n1. See [there](https://x.example), p. 3",
    ],
    [
      "Not defined[^1], and `[^2]`.\n\n```\n[^2]: code\n```",
      "Not defined[^1], and `[^2]`.\n\n```\n[^2]: code\n```",
    ],
  ])("%j", (text, expected) => {
    expect(convert(text)).toEqual({ body: expected, told: [] });
  });

  test("a note that nothing refers to is reported", () => {
    expect(convert("One.\n\n[^x]: Never.")).toEqual({
      body: "One.",
      told: ["warning left out of the text: [^x]"],
    });
  });
});

test("long images inside a text are left out and reported, and the text after them stays", () => {
  const data = `data:image/png;base64,${"iVBORw0KGgo".repeat(10_000)}==`;
  const text = `A\n\n<img src="${data}" alt="x">\n\n![B](${data} "t") ![C][image1]\n\n![][image1]\n\nEnd.\n\n[image1]: <${data}>`;
  const { body, told } = read(front("title: A", text));
  expect(body?.trim()).toBe("A\n\nB C\n\nEnd.");
  expect(told).toEqual(["warning left out of the text: 3 embedded images"]);
});

test("Markdown in fields that show none becomes plain words", () => {
  const { study } = read(
    front(
      `title: "**My** \`app\`"\nsummary: "**Bold** [link](https://x.example) with \`code\`, *one* and __two__ ![i](a.png)"\nlede: "snake_case_name, 2 * 3 * 4, [1] and __init__.py"`,
    ),
  );
  expect(study?.fields).toMatchObject({
    name: "My app",
    summary: "Bold link with code, one and two",
    lede: "snake_case_name, 2 * 3 * 4, [1] and __init__.py",
  });
});

describe("videos, buttons and tables of contents of usual themes", () => {
  const youtube = "[Video on YouTube](https://www.youtube.com/watch?v=XsxDH4HcOWA)";

  test.each([
    ["* TOC\n{:toc}\n\nA", "A"],
    ["1. The contents\n{: toc .large}\n\nA", "A"],
    ["* One\n* Two", "* One\n* Two"],
    ['{% include video id="XsxDH4HcOWA" provider="youtube" %}', youtube],
    [
      '{% include video id="212731897" provider="vimeo" %}',
      "[Video on Vimeo](https://vimeo.com/212731897)",
    ],
    [
      '{% include button.html text="Demo" link="https://demo.example" %}',
      "[Demo](https://demo.example)",
    ],
    ['<iframe src="https://www.youtube-nocookie.com/embed/XsxDH4HcOWA?rel=0"></iframe>', youtube],
    [
      "`youtube: https://www.youtube.com/watch?v=XsxDH4HcOWA`\n\nA `youtube: x` B",
      `${youtube}\n\nA \`youtube: x\` B`,
    ],
  ])("%j", (text, expected) => {
    const { body, told } = read(front("title: A", text));
    expect([body?.trim(), told]).toEqual([expected, []]);
  });

  test.each([
    '<YouTube id="https://youtu.be/XsxDH4HcOWA" />',
    '<Video src="https://www.youtube.com/watch?t=3&v=XsxDH4HcOWA" />',
    '<YouTube url={"https://youtube.com/shorts/XsxDH4HcOWA"} />',
    '<YouTube id="XsxDH4HcOWA" />',
  ])("MDX: %j", (text) => {
    const { body, told } = read(front("title: A", text), "work/study.mdx");
    expect([body?.trim(), told]).toEqual([youtube, []]);
  });
});

test("images in the excerpt join the gallery", () => {
  const { study, told } = read(
    front(
      `title: A\nexcerpt: "Short<br/><img src='/images/top.jpg' alt='Top'> <img src='none.png'>"\nlede: "![Bee](b.png) B"`,
    ),
  );
  expect(study?.gallery).toEqual([
    { path: "images/top.jpg", alt: "Top", caption: "" },
    { path: "work/b.png", alt: "Bee", caption: "" },
  ]);
  expect(told).toEqual([
    "warning 3 excerpt has an image that isn't in the folder, so it's left out",
  ]);
  expect(study?.fields).toMatchObject({ summary: "Short", lede: "B" });
});
