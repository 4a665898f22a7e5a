import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";
import decompress from "woff2-encoder/decompress";
import { n } from "./draw.ts";

/** Text as outlines of the site's fonts, so that a drawing needs no fonts. */

const require = createRequire(import.meta.url);

async function open(file: string, weight: number): Promise<Font> {
  const path = require.resolve(`@fontsource-variable/${file}-latin-wght-normal.woff2`);
  const font = create(Buffer.from(await decompress(readFileSync(path)))) as Font;
  return font.getVariation({ wght: weight });
}

const fonts = {
  display: await open("bricolage-grotesque/files/bricolage-grotesque", 640),
  text: await open("figtree/files/figtree", 500),
  strong: await open("figtree/files/figtree", 700),
};

export interface Lettering {
  size: number;
  fill: string;
  font?: keyof typeof fonts;
  /** What x refers to: the start of the text, its middle, or its end. */
  at?: "start" | "middle" | "end";
}

/** A line of text on the baseline y. */
export function words(x: number, y: number, text: string, style: Lettering): string {
  const { size, fill, font: name = "text", at = "start" } = style;
  const font = fonts[name];
  const run = font.layout(text);
  const scale = size / font.unitsPerEm;
  const width = run.advanceWidth * scale;
  let from = x - (at === "start" ? 0 : at === "middle" ? width / 2 : width);
  let path = "";
  run.glyphs.forEach((glyph, index) => {
    for (const { command, args } of glyph.path.commands) {
      const letter = command === "closePath" ? "Z" : command.charAt(0).toUpperCase();
      const points = args.map((value, side) => {
        return n(side % 2 === 0 ? from + value * scale : y - value * scale);
      });
      path += `${letter}${points.join(" ")}`;
    }
    from += (run.positions[index]?.xAdvance ?? 0) * scale;
  });
  return `<path d="${path}" fill="${fill}"/>`;
}

/** Several lines, one below the other. */
export function lines(
  x: number,
  y: number,
  texts: readonly string[],
  style: Lettering & { leading: number },
): string {
  return texts.map((text, index) => words(x, y + index * style.leading, text, style)).join("");
}
