import { describe, expect, it } from "vitest";
import { parseStorageUrl } from "./storage-url.ts";

const env = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

describe("STORAGE_URL", () => {
  it("is Amazon's bucket of a region without an endpoint", () => {
    expect(parseStorageUrl("s3://my-site?region=eu-north-1", env)).toEqual({
      endpoint: "https://s3.eu-north-1.amazonaws.com",
      region: "eu-north-1",
      bucket: "my-site",
      prefix: "",
      isPathStyle: false,
      accessKeyId: "id",
      secretAccessKey: "secret",
    });
  });

  it("names another server, where the bucket is in the path unless it says otherwise", () => {
    const text = "s3://my-site/a/b/?endpoint=http://127.0.0.1:9000";
    expect(parseStorageUrl(text, env)).toMatchObject({
      endpoint: "http://127.0.0.1:9000",
      prefix: "a/b",
      isPathStyle: true,
    });
    expect(parseStorageUrl(`${text}&path-style=false`, env).isPathStyle).toBe(false);
  });

  it.each([
    ["https://example.com/bucket", "must begin with s3://"],
    ["s3://", "needs a bucket"],
    ["s3://id:secret@bucket", "must contain no keys"],
    ["s3://bucket?endpoint=ftp://example.com", "needs an endpoint"],
    ["s3://bucket?endpoint=https://example.com/path", "needs an endpoint"],
    ["s3://bucket?path-style=yes", "needs true or false"],
    ["s3://bucket?regoin=x", "has an unknown setting, regoin"],
    ["s3://bucket/a/../b c", "needs a prefix"],
    ["s3://bucket/%zz", "needs a prefix"],
  ])("%s is refused with a reason", (text, reason) => {
    expect(() => parseStorageUrl(text, env)).toThrow(reason);
  });

  it("needs the keys in their variables", () => {
    expect(() => parseStorageUrl("s3://bucket", { AWS_ACCESS_KEY_ID: "id" })).toThrow(
      "AWS_SECRET_ACCESS_KEY",
    );
  });
});
