import { expect, test } from "vitest";

import { liveFile } from "./download-file.ts";

const base = "https://me.example/about/#console";

test("a PDF of the live side is opened at its public address", () => {
  expect(liveFile("/resume.pdf", base)).toBe("https://me.example/resume.pdf");
  expect(liveFile("/files/Talk.PDF?v=2", base)).toBe("https://me.example/files/Talk.PDF?v=2");
});

test("a framed page can't open anything else of this server, or another server", () => {
  expect(liveFile("//evil.example/x.pdf", base)).toBe("https://me.example/evil.example/x.pdf");
  for (const path of ["/admin", "/api/account/export?file=.pdf", "/x/../admin#.pdf"]) {
    expect(liveFile(path, base)).toBeNull();
  }
});
