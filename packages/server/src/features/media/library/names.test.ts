import { describe, expect, it } from "vitest";
import { sanitizeOriginalName, stemFor } from "./names.ts";

const sha256 = "0123456789abcdef".repeat(4);
const slugOf = (name: string) => stemFor(sha256, name).slice("0123456789ab-".length);

describe("abuse 51: names that come with files", () => {
  it.each([
    ["Ünï Photo (2).JPG", "uni-photo-2"],
    ["../../../etc/passwd", "passwd"],
    [String.raw`..\..\boot.ini`, "boot"],
    ["evil\0.png", "evil"],
    ["index.astro", "index"],
    [".htaccess", "file"],
    ["...", "file"],
    ["", "untitled"],
    ["🎉🎉.png", "file"],
    ["日本.jpg", "file"],
    ["con.tar.gz", "con-tar"],
    ["-rf --no-preserve-root.png", "rf-no-preserve-root"],
  ])("%j makes %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it("stay short, however long they come", () => {
    const stem = stemFor(sha256, `${"a b".repeat(2000)}.png`);
    expect(stem).toMatch(/^[0-9a-f]{12}-[a-z0-9-]{1,40}$/);
    expect(sanitizeOriginalName("x".repeat(4096)).length).toBe(255);
    expect(sanitizeOriginalName("🎉".repeat(4096))).toBe("🎉".repeat(127));
  });

  it("are kept for reading without folders and control characters", () => {
    expect(sanitizeOriginalName("C:\\fake\\Sommar 2026.jpg")).toBe("Sommar 2026.jpg");
    expect(sanitizeOriginalName("a\0b\nc.png")).toBe("abc.png");
    expect(sanitizeOriginalName("/")).toBe("untitled");
    expect(sanitizeOriginalName("photos/ ")).toBe("photos");
  });
});
