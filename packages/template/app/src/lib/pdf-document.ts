import PdfDocument from "pdfkit";
import { registerWeight } from "./pdf-fonts.ts";
import { type Run, runsOf, replaceUnprintable } from "./pdf-glyphs.ts";
import { bracket, heightKeptTogether, page, type Row } from "./pdf-rows.ts";

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
  color: string;
}

export interface Facts {
  title: string;
  author: string;
  subject: string;
  language: string;
  letters: keyof typeof faces;
  /** What the file says about when it was made; never the clock, so that the bytes repeat. */
  date: Date;
  /** More that the file says about itself, which readers don't show. */
  entries?: Record<string, string>;
}

/** The font's family and weight for each kind of words. */
const faces = {
  sans: {
    display: { family: "bricolage-grotesque", weight: 640 },
    text: { family: "figtree", weight: 400 },
    strong: { family: "figtree", weight: 600 },
  },
  serif: {
    display: { family: "newsreader", weight: 480 },
    text: { family: "newsreader", weight: 400 },
    strong: { family: "newsreader", weight: 600 },
  },
} as const;

export class PdfWriter {
  readonly #pdf: Pdf;
  readonly #root: Element;
  readonly #faces: (typeof faces)[keyof typeof faces];
  readonly #fonts = new Set<string>();
  readonly #widths = new Map<string, number>();
  #parent: Node;

  constructor(facts: Facts) {
    const { title, author, subject, language, letters, date, entries } = facts;
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
    // The types know the usual entries only.
    Object.assign(this.#pdf.info, entries);
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
        if (!href || !inner.element) return;
        const box = { x, y, width: this.#width(line, style), style };
        this.#link(inner.element, content, href, box);
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

  rule(height: number, color: string, x = page.left, end = page.width - page.right): Row {
    const draw = (y: number) => {
      this.#apart("Layout", () => {
        this.#pdf.moveTo(x, y).lineTo(end, y).lineWidth(0.6).stroke(color);
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
      if (!isFirstOfPage && y + heightKeptTogether(rows, index) > page.height - page.bottom) {
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
      const line = replaceUnprintable(foot.text(index + 1, count));
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
    // What is in a PDF as an address is ASCII, and brackets in it would have to be escaped.
    if (!URL.canParse(href)) return;
    const address = new URL(href).href.replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"));
    // The annotation is part of the element, and says in words where it leads.
    const options = { structParent: element, Contents: new String(content) };
    this.#pdf.link(box.x, box.y, box.width, box.style.leading, address, options as never);
  }

  #line(line: string, style: Style, x: number, y: number): void {
    let at = x;
    let baseline: number | undefined;
    const down = y + (style.leading - style.size * 1.2) / 2;
    const runs = this.#runs(line, style);
    for (const [index, run] of runs.entries()) {
      this.#use(style, run);
      // Families differ in how far their letters stand below the top.
      const ascent = (this.#ascender() / 1000) * style.size;
      baseline ??= down + ascent;
      this.#pdf.fillColor(style.color);
      // Only what is drawn around a text needs its width, so it isn't measured for that.
      const options = { lineBreak: false, textWidth: 0, wordCount: 1 };
      this.#pdf.text(run.text, at, baseline - ascent, options);
      if (index < runs.length - 1) at += this.#pdf.widthOfString(run.text);
    }
  }

  /** Texts consist of the same words again and again. */
  #wordWidth(word: string, style: Style): number {
    const key = `${style.font} ${style.size} ${word}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    const width = this.#width(word, style);
    this.#widths.set(key, width);
    return width;
  }

  #width(line: string, style: Style): number {
    return this.#runs(line, style).reduce((sum, run) => {
      this.#use(style, run);
      return sum + this.#pdf.widthOfString(run.text);
    }, 0);
  }

  /** Of the font that is in use, in thousandths of its size. */
  #ascender(): number {
    const { _font: font } = this.#pdf as unknown as { _font: { ascender: number } };
    return font.ascender;
  }

  #runs(line: string, style: Style): Run[] {
    return runsOf(line, this.#faces[style.font].family);
  }

  #use(style: Style, { file }: Run): void {
    const name = `${style.font}-${file}`;
    if (!this.#fonts.has(name)) {
      this.#fonts.add(name);
      const { weight } = this.#faces[style.font];
      const kerned = style.font === "display";
      registerWeight(this.#pdf, name, { file, weight, salt: this.#fonts.size, kerned });
    }
    this.#pdf.font(name).fontSize(style.size);
  }

  /** Words on lines of at most this width; a word that is longer is cut. */
  #lines(content: string, style: Style, width: number): string[] {
    const space = this.#wordWidth(" ", style);
    const lines: string[] = [];
    let line = "";
    let used = 0;
    const words = replaceUnprintable(content);
    for (const word of words.split(/[ \t\r\n]+/).flatMap((part) => this.#cut(part, style, width))) {
      const size = this.#wordWidth(word, style);
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
    if (this.#wordWidth(word, style) <= width) return [word];
    const parts: string[] = [""];
    for (const letter of word) {
      const longer = `${parts.at(-1)}${letter}`;
      if (this.#width(longer, style) > width) parts.push(letter);
      else parts[parts.length - 1] = longer;
    }
    return parts;
  }
}
