import PdfDocument from "pdfkit";
import { registerWeight } from "./pdf-fonts.ts";

/** Setting text on A4: lines, page breaks, and the structure that screen readers go by. */

export const page = { width: 595.28, height: 841.89, top: 54, bottom: 60, left: 52, right: 52 };

type Pdf = InstanceType<typeof PdfDocument>;
type Element = ReturnType<Pdf["struct"]>;

export interface Style {
  font: "display" | "text" | "strong";
  size: number;
  leading: number;
  colour: string;
}

/** A line's height of the page, drawn when it is known where. */
export interface Row {
  height: number;
  /** Whether the row must not be the last of its page. */
  keep: boolean;
  draw: (y: number) => void;
}

export interface Facts {
  title: string;
  author: string;
  subject: string;
  language: string;
  /** What the file says about when it was made; never the clock, so that the bytes repeat. */
  date: Date;
}

const faces = {
  display: { file: "bricolage-grotesque/files/bricolage-grotesque", weight: 640 },
  text: { file: "figtree/files/figtree", weight: 400 },
  strong: { file: "figtree/files/figtree", weight: 600 },
} as const;

/** What the Latin file of a font has not, and its file for further Latin letters has. */
const further = /[\u0100-\u0130\u0132-\u0151\u0154-\u02ba\u1e00-\u1eff\u20a0-\u20ab]+/gu;

export function openPaper(facts: Facts): Paper {
  return new Paper(facts);
}

export class Paper {
  readonly #pdf: Pdf;
  readonly #root: Element;
  readonly #fonts = new Set<string>();
  #parents: Element[];

  constructor(facts: Facts) {
    const { title, author, subject, language, date } = facts;
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
    this.#parents = [this.#root];
  }

  /** Rows made inside belong to an element of this kind, such as `Sect` or `L`. */
  within(kind: string, make: () => Row[]): Row[] {
    const element = this.#pdf.struct(kind);
    const parent = this.#parents.at(-1) as Element;
    this.#parents.push(element);
    const rows = make();
    this.#parents.pop();
    return bracket(
      rows,
      () => parent.add(element),
      () => element.end(),
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
    const parent = this.#parents.at(-1) as Element;
    const element = this.#pdf.struct(kind);
    const inner = href ? this.#pdf.struct("Link") : element;
    const lines = this.#lines(content, style, width);
    const rows = lines.map((line, index): Row => ({
      height: style.leading,
      // Two lines stay together at either end of a paragraph.
      keep: keep || index === 0 ? lines.length > 1 || keep : index === lines.length - 2,
      draw: (y) => {
        if (index === 0 && outline) this.#bookmark(content, outline);
        inner.add(() => this.#line(line, style, x, y));
        if (href)
          this.#link(inner, content, href, { x, y, width: this.#width(line, style), style });
      },
    }));
    return bracket(
      rows,
      () => {
        parent.add(element);
        if (inner !== element) element.add(inner);
      },
      () => {
        inner.end();
        element.end();
      },
    );
  }

  /** Two lists of rows beside each other; what is on the left is read after the first on the right. */
  beside(left: Row[], right: Row[]): Row[] {
    const count = Math.max(left.length, right.length);
    return Array.from({ length: count }, (_, index) => {
      const [a, b] = [left[index], right[index]];
      return {
        height: Math.max(a?.height ?? 0, b?.height ?? 0),
        keep: index < left.length - 1 || (b?.keep ?? false),
        draw: (y: number) => {
          b?.draw(y);
          a?.draw(y);
        },
      };
    });
  }

  space(height: number, keep = false): Row {
    return { height, keep, draw: () => undefined };
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
      if (!isFirstOfPage && y + kept(rows, index) > page.height - page.bottom) {
        this.#pdf.addPage();
        y = page.top;
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
    const { file, weight } = faces[style.font];
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

/** How much room the row needs with all that must stay on its page; a whole page at most. */
function kept(rows: Row[], from: number): number {
  let height = 0;
  for (let index = from; index < rows.length; index++) {
    const row = rows[index] as Row;
    height += row.height;
    if (!row.keep) break;
  }
  const whole = page.height - page.top - page.bottom;
  return height > whole ? (rows[from] as Row).height : height;
}

/** The same rows, with something to do before the first and after the last of them. */
function bracket(rows: Row[], before: () => void, after: () => void): Row[] {
  return rows.map((row, index) => ({
    ...row,
    draw: (y) => {
      if (index === 0) before();
      row.draw(y);
      if (index === rows.length - 1) after();
    },
  }));
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
