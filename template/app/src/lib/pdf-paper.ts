import PdfDocument from "pdfkit";
import { registerWeight } from "./pdf-fonts.ts";
import { bracket, kept, page, type Row } from "./pdf-rows.ts";

/** Setting text on A4: lines, page breaks, and the structure that screen readers go by. */

type Pdf = InstanceType<typeof PdfDocument>;
type Element = ReturnType<Pdf["struct"]>;

/** An element of the structure, once there is something in it. */
interface Node {
  element?: Element;
}

export interface Style {
  font: "display" | "text" | "strong";
  size: number;
  leading: number;
  colour: string;
}

export interface Facts {
  title: string;
  author: string;
  subject: string;
  language: string;
  letters: keyof typeof faces;
  /** What the file says about when it was made; never the clock, so that the bytes repeat. */
  date: Date;
}

/** Files under @fontsource-variable, and the weight for each kind of words. */
const faces = {
  sans: {
    display: { file: "bricolage-grotesque/files/bricolage-grotesque", weight: 640 },
    text: { file: "figtree/files/figtree", weight: 400 },
    strong: { file: "figtree/files/figtree", weight: 600 },
  },
  serif: {
    display: { file: "newsreader/files/newsreader", weight: 480 },
    text: { file: "newsreader/files/newsreader", weight: 400 },
    strong: { file: "newsreader/files/newsreader", weight: 600 },
  },
} as const;

/** What the Latin file of a font has not, and its file for further Latin letters has. */
const further = /[\u0100-\u0130\u0132-\u0151\u0154-\u02ba\u1e00-\u1eff\u20a0-\u20ab]+/gu;

export class Paper {
  readonly #pdf: Pdf;
  readonly #root: Element;
  readonly #faces: (typeof faces)[keyof typeof faces];
  readonly #fonts = new Set<string>();
  #parent: Node;

  constructor(facts: Facts) {
    const { title, author, subject, language, letters, date } = facts;
    this.#faces = faces[letters];
    this.#pdf = new PdfDocument({
      size: "A4",
      margin: 0,
      pdfVersion: "1.7",
      lang: language,
      tagged: true,
      displayTitle: true,
      bufferPages: true,
      info: { Title: title, Author: author, Subject: subject, CreationDate: date, ModDate: date },
    });
    this.#root = this.#pdf.struct("Document");
    this.#pdf.addStructure(this.#root);
    this.#parent = { element: this.#root };
  }

  /** Rows made inside belong to an element of this kind, such as `Sect` or `L`. */
  within(kind: string, make: () => Row[]): Row[] {
    const node: Node = {};
    const parent = this.#parent;
    this.#parent = node;
    const rows = make();
    this.#parent = parent;
    return bracket(
      rows,
      () => this.#open(node, kind, parent),
      () => node.element?.end(),
    );
  }

  /** A paragraph, heading or the like as rows of one line. */
  text(
    kind: string,
    content: string,
    style: Style,
    place: {
      x: number;
      width: number;
      href?: string | undefined;
      outline?: number;
      keep?: boolean;
    },
  ): Row[] {
    const { x, width, href, outline, keep = false } = place;
    const parent = this.#parent;
    const node: Node = {};
    const inner: Node = href ? {} : node;
    const lines = this.#lines(content, style, width);
    const rows = lines.map((line, index): Row => ({
      height: style.leading,
      // Two lines stay together at either end of a paragraph.
      keep: keep || (index === 0 ? lines.length > 1 : index === lines.length - 2),
      draw: (y) => {
        if (index === 0 && outline) this.#bookmark(content, outline);
        inner.element?.add(() => this.#line(line, style, x, y));
        const box = { x, y, width: this.#width(line, style), style };
        if (href && inner.element) this.#link(inner.element, content, href, box);
      },
    }));
    return bracket(
      rows,
      () => {
        this.#open(node, kind, parent);
        if (inner !== node) this.#open(inner, "Link", node);
      },
      () => {
        inner.element?.end();
        node.element?.end();
      },
    );
  }

  rule(height: number, colour: string, x = page.left, end = page.width - page.right): Row {
    const draw = (y: number) => {
      this.#apart("Layout", () => {
        this.#pdf.moveTo(x, y).lineTo(end, y).lineWidth(0.6).stroke(colour);
      });
    };
    return { height, keep: true, draw };
  }

  /** Lays the rows on as many pages as they need, with the foot on each, and gives the file. */
  async finish(rows: Row[], foot: { style: Style; text: (page: number, of: number) => string }) {
    let y = page.top;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as Row;
      const isFirstOfPage = y === page.top;
      if (isFirstOfPage && row.blank) continue;
      if (!isFirstOfPage && y + kept(rows, index) > page.height - page.bottom) {
        this.#pdf.addPage();
        y = page.top;
        if (row.blank) continue;
      }
      row.draw(y);
      y += row.height;
    }
    this.#root.end();
    const { count } = this.#pdf.bufferedPageRange();
    for (let index = 0; index < count; index++) {
      this.#pdf.switchToPage(index);
      const line = foot.text(index + 1, count);
      this.#apart("Pagination", () => {
        const x = page.width - page.right - this.#width(line, foot.style);
        this.#line(line, foot.style, x, page.height - 38);
      });
    }
    const chunks: Buffer[] = [];
    this.#pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
    await new Promise<void>((resolve, reject) => {
      this.#pdf.on("end", resolve).on("error", reject);
      this.#pdf.end();
    });
    return Buffer.concat(chunks);
  }

  /** Elements are made when they are reached: the file is never done while one is open. */
  #open(node: Node, kind: string, parent: Node): void {
    node.element = this.#pdf.struct(kind);
    parent.element?.add(node.element);
  }

  /** What is no content: screen readers pass over it. */
  #apart(type: "Layout" | "Pagination", draw: () => void): void {
    this.#pdf.markContent("Artifact", { type });
    draw();
    this.#pdf.endMarkedContent();
  }

  #bookmark(title: string, level: number): void {
    const { outline } = this.#pdf;
    const parent = level > 1 ? (outline.children.at(-1) ?? outline) : outline;
    parent.addItem(title);
  }

  #link(
    element: Element,
    content: string,
    href: string,
    box: { x: number; y: number; width: number; style: Style },
  ): void {
    // The annotation is part of the element, and says in words where it leads.
    const options = { structParent: element, Contents: new String(content) };
    this.#pdf.link(box.x, box.y, box.width, box.style.leading, href, options as never);
  }

  #line(line: string, style: Style, x: number, y: number): void {
    let at = x;
    const down = y + (style.leading - style.size * 1.2) / 2;
    for (const run of runs(line)) {
      this.#use(style, run.further);
      this.#pdf.fillColor(style.colour).text(run.text, at, down, { lineBreak: false });
      at += this.#pdf.widthOfString(run.text);
    }
  }

  #width(line: string, style: Style): number {
    return runs(line).reduce((sum, run) => {
      this.#use(style, run.further);
      return sum + this.#pdf.widthOfString(run.text);
    }, 0);
  }

  #use(style: Style, isFurther: boolean): void {
    const { file, weight } = this.#faces[style.font];
    const subset = isFurther ? "latin-ext" : "latin";
    const name = `${style.font}-${subset}`;
    if (!this.#fonts.has(name)) {
      this.#fonts.add(name);
      registerWeight(this.#pdf, name, {
        file: `@fontsource-variable/${file}-${subset}-wght-normal.woff2`,
        weight,
        salt: this.#fonts.size,
        kerned: style.font === "display",
      });
    }
    this.#pdf.font(name).fontSize(style.size);
  }

  /** Words on lines of at most this width; a word that is longer is cut. */
  #lines(content: string, style: Style, width: number): string[] {
    const space = this.#width(" ", style);
    const lines: string[] = [];
    let line = "";
    let used = 0;
    for (const word of content
      .split(/[ \t\r\n]+/)
      .flatMap((part) => this.#cut(part, style, width))) {
      const size = this.#width(word, style);
      if (line !== "" && used + space + size > width) {
        lines.push(line);
        line = "";
      }
      used = line === "" ? size : used + space + size;
      line = line === "" ? word : `${line} ${word}`;
    }
    return line === "" ? lines : [...lines, line];
  }

  #cut(word: string, style: Style, width: number): string[] {
    if (word === "") return [];
    if (this.#width(word, style) <= width) return [word];
    const parts: string[] = [""];
    for (const letter of word) {
      const longer = `${parts.at(-1)}${letter}`;
      if (this.#width(longer, style) > width) parts.push(letter);
      else parts[parts.length - 1] = longer;
    }
    return parts;
  }
}

function runs(line: string): { text: string; further: boolean }[] {
  const list: { text: string; further: boolean }[] = [];
  let at = 0;
  for (const match of line.matchAll(further)) {
    if (match.index > at) list.push({ text: line.slice(at, match.index), further: false });
    list.push({ text: match[0], further: true });
    at = match.index + match[0].length;
  }
  if (at < line.length) list.push({ text: line.slice(at), further: false });
  return list;
}
