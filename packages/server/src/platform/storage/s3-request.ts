import { AwsV4Signer } from "aws4fetch";

/** A bucket of Amazon S3 or a server with its API, and where objects are in it. */
export interface S3Location {
  /** Such as `https://s3.eu-north-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** What every key begins with, without a slash at its end; empty for none. */
  prefix: string;
  /** Whether the bucket is in the path, rather than in the host's name. */
  isPathStyle: boolean;
}

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** RFC 3986: also what encodeURIComponent leaves, because it is part of the signature. */
function encode(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The bucket's own address, without a slash at its end. */
export function bucketUrl({ endpoint, bucket, isPathStyle }: S3Location): string {
  const url = new URL(endpoint);
  return isPathStyle ? `${url.origin}/${bucket}` : `${url.protocol}//${bucket}.${url.host}`;
}

/** The full key of an object. */
export function keyOf({ prefix }: S3Location, path: string): string {
  return prefix === "" ? path : `${prefix}/${path}`;
}

/** The address of an object. */
export function objectUrl(location: S3Location, path: string): string {
  return `${bucketUrl(location)}/${keyOf(location, path).split("/").map(encode).join("/")}`;
}

/** The address of a list of the keys that begin with `prefix`, after the key `after` (ListObjectsV2). */
export function listUrl(location: S3Location, prefix: string, after?: string): string {
  const query = new URLSearchParams({ "list-type": "2", prefix: keyOf(location, prefix) });
  if (after !== undefined) query.set("start-after", keyOf(location, after));
  const text = [...query].map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  // As Amazon's own clients write it, which is part of the signature.
  const path = location.isPathStyle ? "" : "/";
  return `${bucketUrl(location)}${path}?${text}`;
}

/** The keys in the XML of such a list, without the prefix of the location. */
export function parseKeyList(
  text: string,
  { prefix }: S3Location,
): { keys: string[]; isTruncated: boolean } {
  const own = prefix === "" ? "" : `${prefix}/`;
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].flatMap(([, key = ""]) =>
    key.startsWith(own) ? [key.slice(own.length)] : [],
  );
  return { keys, isTruncated: /<IsTruncated>true<\/IsTruncated>/.test(text) };
}

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "DELETE";
  url: string;
  /** Must contain `x-amz-content-sha256`. */
  headers: Record<string, string>;
}

/** A request with its signature (Amazon S3 API, Signature Version 4). */
export async function signRequest(
  { method, url, headers }: S3Request,
  { region }: Pick<S3Location, "region">,
  credentials: S3Credentials,
): Promise<S3Request> {
  const signer = new AwsV4Signer({
    method,
    url,
    headers,
    service: "s3",
    region,
    ...credentials,
    // Otherwise, only some of the headers are signed.
    allHeaders: true,
  });
  const signed = await signer.sign();
  return { method, url: signed.url.href, headers: Object.fromEntries(signed.headers) };
}

/** The error code in an XML answer (Amazon S3 API, error responses); null if there is none. */
export function errorCodeOf(text: string): string | null {
  return /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(text)?.[1] ?? null;
}
