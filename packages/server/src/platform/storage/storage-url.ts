import type { S3Credentials, S3Location } from "./s3-request.ts";

/** Where an instance keeps what its nodes share. */
export interface StorageSettings extends S3Location, S3Credentials {}

/** What is wrong with a variable, as the end of a sentence about it. */
export class InvalidStorage extends Error {
  readonly variable: string;

  constructor(reason: string, variable = "STORAGE_URL") {
    super(reason);
    this.variable = variable;
  }
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const known = new Set(["endpoint", "region", "path-style"]);

function readEndpoint(given: string | null, region: string): string {
  const text = given ?? `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.pathname === "/" && url.search === "" && url.username === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new InvalidStorage("needs an endpoint like https://s3.example.com, without a path");
  }
  return url.origin;
}

/**
 * Reads `s3://bucket/prefix?endpoint=https://…&region=…&path-style=true` with keys from the usual
 * variables. Without an endpoint it is Amazon's; with one, the bucket is in the path unless `path-style`
 * is `false`. Throws InvalidStorage.
 */
export function parseStorageUrl(
  text: string,
  env: { AWS_ACCESS_KEY_ID?: string | undefined; AWS_SECRET_ACCESS_KEY?: string | undefined },
): StorageSettings {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "s3:") throw new InvalidStorage("must begin with s3://");
  const { hostname: bucket, searchParams: query } = url;
  if (url.username !== "" || url.password !== "" || url.port !== "") {
    const instead = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    throw new InvalidStorage(`must contain no keys and no port; use ${instead} for the keys`);
  }
  if (!bucketPattern.test(bucket)) throw new InvalidStorage("needs a bucket: s3://bucket");
  const unknown = [...query.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new InvalidStorage(`has an unknown setting, ${unknown}`);
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  if (prefix !== "" && !/^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix))
    throw new InvalidStorage("needs a prefix of letters, digits, and .-_/");
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new InvalidStorage("needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  const region = query.get("region") ?? "us-east-1";
  const given = query.get("endpoint");
  const style = query.get("path-style") ?? (given === null ? "false" : "true");
  if (style !== "true" && style !== "false")
    throw new InvalidStorage("needs true or false for path-style");
  const endpoint = readEndpoint(given, region);
  const isPathStyle = style === "true";
  return { endpoint, region, bucket, prefix, isPathStyle, accessKeyId, secretAccessKey };
}

/**
 * The object store that the environment names; null without one. It needs a shared database, which isn't
 * one that the records were moved from (`isDatabaseUrlLeft`). Throws InvalidStorage.
 */
export function findStorage(
  env: Record<string, string | undefined>,
  { isDatabaseUrlLeft }: { isDatabaseUrlLeft: boolean },
): StorageSettings | null {
  const url = env["STORAGE_URL"];
  if (!url) return null;
  if (!env["DATABASE_URL"]) throw new InvalidStorage("needs DATABASE_URL as well");
  if (isDatabaseUrlLeft) {
    const reason = "leads to a database that the records were moved from";
    throw new InvalidStorage(reason, "DATABASE_URL");
  }
  return parseStorageUrl(url, env);
}
