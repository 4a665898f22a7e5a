import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { platformRoot } from "../../../platform/paths.ts";
import { readSiteIdentity } from "../import/site-identity.ts";
import { makeResolver } from "../folder/resolve.ts";
import {
  importSiteIdentity,
  exportResume,
  type SiteIdentityFiles,
  resumeFile,
} from "./content-files.ts";
import type { Resume } from "./json-resume.ts";
import { aboutFile } from "./page-texts.ts";
import { type PortraitFile, readPortrait } from "./portrait.ts";

type Json = Record<string, unknown>;

const resolver = makeResolver({
  files: new Map(["me.jpg", "pictures/Me.JPG", "a b.png"].map((path) => [path, 10])),
  others: new Set(["link.jpg"]),
});

const withImage = (image: string, name = "Ada"): Resume => ({ basics: { name, image } });

describe("the image that a résumé names", () => {
  const read = (image: string, alone = false) => {
    const resolve = alone ? null : (address: string) => resolver(address, "");
    const { resume, portrait, problems } = readPortrait("resume.json", withImage(image), resolve);
    expect(problems.every(({ field }) => field === "/basics/image")).toBe(true);
    const reported = problems.map(({ level, message }) => `${level} ${message}`).join();
    return { portrait, told: reported, image: resume.basics["image"] };
  };

  test.each([
    ["me.jpg", "me.jpg"],
    ["./me.jpg", "me.jpg"],
    ["/me.jpg", "me.jpg"],
    ["a%20b.png", "a b.png"],
  ])("is a file of its folder: %s", (image, portrait) => {
    expect(read(image)).toEqual({ portrait, told: "", image });
  });

  test("may have a differently written name", () => {
    expect(read("pictures/me.jpg")).toMatchObject({
      portrait: "pictures/Me.JPG",
      told: "warning pictures/me.jpg is written pictures/Me.JPG in the folder",
    });
  });

  test.each([
    ["https://example.org/me.jpg", "note", "isn't a file and isn't fetched, so the portrait stays"],
    ["//example.org/me.jpg", "note", "isn't fetched"],
    ["data:image/png;base64,AAAA", "note", "isn't fetched"],
    ["/images/me.png", "warning", "isn't a file here, so it's kept as it is"],
  ])("stays an address elsewhere: %s", (image, level, words) => {
    const { told: reported, ...rest } = read(image);
    expect(rest).toEqual({ portrait: null, image });
    expect(reported).toMatch(new RegExp(`^${level} .*${words}`));
  });

  test.each([
    ["gone.jpg", "doesn't exist"],
    ["../me.jpg", "points outside the folder"],
    ["link.jpg", "is behind a symbolic link"],
    ["file:///etc/passwd", "isn't an address inside the folder"],
  ])("has to be there: %s", (image, words) => {
    expect(read(image).told).toContain(`error ${image} ${words}`);
  });

  test("is left out if the résumé comes without its folder", () => {
    expect(read("me.jpg", true)).toMatchObject({ portrait: null, image: undefined });
    expect(read("me.jpg", true).told).toMatch(/^warning me.jpg is left out. Import the folder/);
    expect(read("https://example.org/me.jpg", true).image).toBe("https://example.org/me.jpg");
    expect(read("").told).toBe("");
  });
});

describe("the site's portrait", async () => {
  const sample = await readSiteIdentity(join(platformRoot, "packages/template"));
  const file = (name: string): PortraitFile => ({
    src: `/media/2026/${name}.jpg`,
    width: 600,
    height: 800,
    variants: [480, 800].map((width) => ({
      src: `/media/2026/${name}-${width}.webp`,
      width,
      bytes: 1,
    })),
  });
  const importResume = (own: SiteIdentityFiles, resume: Resume, portrait: PortraitFile | null) => {
    const change = importSiteIdentity(own, sample, { resume, portrait, withoutSamples: false });
    const after = { ...own, ...change.files };
    const page = (path: string) => JSON.parse(after[path] ?? "") as Json;
    return { ...change, after, portrait: page(aboutFile)["portrait"] as Json, page };
  };
  const withPortrait = (own: SiteIdentityFiles, words: object | null) => {
    const about = JSON.parse(own[aboutFile] ?? "") as Json;
    const portrait = words && { ...(about["portrait"] as object), ...words };
    return { ...own, [aboutFile]: JSON.stringify({ ...about, portrait }) };
  };
  const before = importResume(sample, withImage("me.jpg"), file("a"));

  test("is the résumé's image in the available widths and is exported as a file", () => {
    expect(before.portrait).toEqual({
      src: "/media/2026/a.jpg",
      srcset: "/media/2026/a-480.webp 480w, /media/2026/a.jpg 600w",
      alt: "Portrait of Ada",
      width: 600,
      height: 800,
      caption: "",
    });
    const basics = { name: "Ada", image: "/media/2026/a.jpg" };
    expect(before.page(resumeFile)["resume"]).toEqual({ basics });
    expect(exportResume(before.after, "a.jpg")["basics"]).toEqual({ name: "Ada", image: "a.jpg" });
    expect(before.unchangedTexts.flatMap(({ fields }) => fields)).not.toContain("portrait");
    const again = importResume(before.after, withImage("me.jpg"), file("a"));
    expect([again.isNew, again.files, again.texts]).toEqual([false, {}, []]);
    const { portrait } = importResume(sample, withImage("s.jpg", ""), {
      ...file("s"),
      variants: [],
    });
    expect(portrait).not.toHaveProperty("srcset");
    expect(portrait["alt"]).toBe("Portrait");
  });

  test("stays the sample's, with a note, if the résumé has none or one on another site", () => {
    for (const resume of [{ basics: { name: "Ada" } }, withImage("https://example.org/a.jpg")]) {
      const { portrait, unchangedTexts: left, files } = importResume(sample, resume, null);
      expect(portrait["src"]).toBe("/images/portrait.svg");
      expect(left.find(({ file: at }) => at === aboutFile)).toMatchObject({
        fields: expect.arrayContaining(["portrait"]) as unknown,
        about: expect.stringContaining("image named in the résumé") as unknown,
      });
      expect(JSON.parse(files[resumeFile] ?? "")).toMatchObject({ resume });
    }
  });

  test("follows the next résumé if it comes from the previous one, with its own alt text", () => {
    const described = withPortrait(before.after, { alt: "Me at sea", caption: "2026" });
    expect(importResume(described, withImage("b.jpg"), file("b")).portrait).toMatchObject({
      src: "/media/2026/b.jpg",
      alt: "Portrait of Ada",
      caption: "",
    });
    const renamed = importResume(before.after, withImage("me.jpg", "Ada King"), file("a"));
    expect(renamed.portrait).toEqual({ ...before.portrait, alt: "Portrait of Ada King" });
    const mine = importResume(described, withImage("me.jpg", "Ada King"), file("a"));
    expect(mine.portrait).toMatchObject({ alt: "Me at sea", caption: "2026" });
    // A résumé without one takes none away.
    expect(importResume(before.after, { basics: { name: "Ada" } }, null).portrait).toEqual(
      before.portrait,
    );
  });

  test("stays if the owner has replaced or removed it", () => {
    for (const words of [{ src: "/images/mine.png" }, { src: "/media/2026/c.jpg" }, null]) {
      for (const own of [sample, before.after]) {
        const mine = withPortrait(own, words);
        const { portrait } = importResume(mine, withImage("b.jpg"), file("b"));
        expect(portrait).toEqual((JSON.parse(mine[aboutFile] ?? "") as Json)["portrait"]);
      }
    }
  });
});
