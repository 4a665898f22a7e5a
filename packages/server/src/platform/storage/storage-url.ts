import type { S3Credentials, S3Location } from "./s3-request.ts";

/** Where an instance keeps what its nodes share. */
export interface StorageSettings extends S3Location, S3Credentials {}

/** What is wrong with a STORAGE_URL, as the end of a sentence about it. */
export class InvalidStorageUrl extends Error {}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const known = new Set(["endpoint", "region", "path-style"]);

function readEndpoint(given: string | null, region: string): string {
  const text = given ?? `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.pathname === "/" && url.search === "" && url.username === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new InvalidStorageUrl("needs an endpoint like https://s3.example.com, without a path");
  }
  return url.origin;
}

/**
 * Reads `s3://bucket/prefix?endpoint=https://…&region=…&path-style=true` with keys from the usual
 * variables. Without an endpoint it is Amazon's; with one, the bucket is in the path unless `path-style`
 * is `false`. Throws InvalidStorageUrl.
 */
export function parseStorageUrl(
  text: string,
  env: { AWS_ACCESS_KEY_ID?: string | undefined; AWS_SECRET_ACCESS_KEY?: string | undefined },
): StorageSettings {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "s3:") throw new InvalidStorageUrl("must begin with s3://");
  const { hostname: bucket, searchParams: query } = url;
  if (url.username !== "" || url.password !== "" || url.port !== "") {
    const instead = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    throw new InvalidStorageUrl(`must contain no keys and no port; use ${instead} for the keys`);
  }
  if (!bucketPattern.test(bucket)) throw new InvalidStorageUrl("needs a bucket: s3://bucket");
  const unknown = [...query.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new InvalidStorageUrl(`has an unknown setting, ${unknown}`);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  if (prefix !== "" && !/^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix))
    throw new InvalidStorageUrl("needs a prefix of letters, digits, and .-_/");
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new InvalidStorageUrl("needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  const region = query.get("region") ?? "us-east-1";
  const given = query.get("endpoint");
  const style = query.get("path-style") ?? (given === null ? "false" : "true");
  if (style !== "true" && style !== "false")
    throw new InvalidStorageUrl("needs true or false for path-style");
  const endpoint = readEndpoint(given, region);
  const isPathStyle = style === "true";
  return { endpoint, region, bucket, prefix, isPathStyle, accessKeyId, secretAccessKey };
}
