import { expect, test } from "vitest";
import {
  missingLetters,
  replaceUnprintable,
} from "../../packages/template/app/src/lib/pdf-glyphs.ts";
import { PdfWriter } from "../../packages/template/app/src/lib/pdf-document.ts";
import { page } from "../../packages/template/app/src/lib/pdf-rows.ts";
import { readPdfText } from "./pdf.ts";

/** The text of a PDF whose heading and paragraph are these words, as it is read back from the file. */
async function readBack(words: string, letters: "sans" | "serif"): Promise<string> {
  return readPdfText(await makeFile(words, letters)).join("");
}

async function makeFile(words: string, letters: "sans" | "serif", href?: string): Promise<Buffer> {
  const facts = { title: "A", author: "B", subject: "C", language: "en", date: new Date(0) };
  const paper = new PdfWriter({ ...facts, letters });
  const place = { x: page.left, width: 480 };
  const style = { size: 12, leading: 16, color: "#000000" } as const;
  const rows = [
    ...paper.text("H1", words, { ...style, font: "display" }, place),
    ...paper.text("P", words, { ...style, font: "text" }, { ...place, href }),
  ];
  const foot = { style: { ...style, font: "strong" } as const, text: () => words };
  return paper.finish(rows, foot);
}

test.each(["sans", "serif"] as const)("sets letters of all Latin scripts: %s", async (letters) => {
  const words = "Åse Łukasz Żółć, İğdır, Nguyễn Thị Hồng, Ēriks, Großẞ ↑ ₹ 5";
  const text = await readBack(words, letters);
  expect(text.trim().split("\n")).toEqual([words, words, words]);
});

test("spells signs that no font has, or leaves them out: there is no empty box", async () => {
  const words = "9\u202fs → 4\u2009s, ≥ 3 ✓, CO₂, №\u00a05, e\u0301, co\u00adop, a‑b 👩🏽‍💻 1️⃣ end";
  expect(missingLetters(words)).toEqual([]);
  const text = await readBack(words, "sans");
  const read = "9\u00a0s -> 4 s, >= 3 , CO2, No\u00a05, é, coop, a-b 1 end";
  expect(text.trim().split("\n").slice(0, 2)).toEqual([read, read]);
});

test("tells the letters that no font has, each once", () => {
  expect(missingLetters("Анна (Anna), ΑΩ, 東京, ＡＢ, é ệ ✓")).toEqual([
    "А",
    "н",
    "а",
    "Α",
    "Ω",
    "東",
    "京",
  ]);
  expect(replaceUnprintable("Ω")).toBe("Ω");
});

test("has addresses with brackets and further letters in plain sight, for whoever reviews a change", async () => {
  const file = await makeFile("Wiki", "sans", "https://example.com/ö_(b)");
  expect(file.toString("latin1")).toContain("/URI (https://example.com/%C3%B6_%28b%29)");
});
