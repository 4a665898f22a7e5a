import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** DER: a tag, the length, the content (X.690, 8.1). */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const nameOf = (name: string) =>
  sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))));
const time = (date: Date) =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, "")}Z`));

/** subjectAltName with one name, basicConstraints and keyUsage of an authority. */
const forName = (name: string) =>
  sequence(oid("551d11"), der(0x04, sequence(der(0x82, Buffer.from(name)))));
const authority = [
  sequence(
    oid("551d13"),
    der(0x01, Buffer.from([0xff])),
    der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
  ),
  sequence(
    oid("551d0f"),
    der(0x01, Buffer.from([0xff])),
    der(0x04, der(0x03, Buffer.from([2, 4]))),
  ),
];

export interface Certificate {
  cert: string;
  key: string;
}

interface Issuer {
  name: string;
  key: KeyObject;
}

const pem = (label: string, content: Buffer) =>
  `-----BEGIN ${label}-----\n${content.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;

let serial = 1;

function makeCertificate(
  subject: string,
  extensions: Buffer[],
  until: Date,
  issuer?: Issuer,
): Certificate & { issuer: Issuer } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const by = issuer ?? { name: subject, key: privateKey };
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, serial++])),
    ecdsaWithSha256,
    nameOf(by.name),
    sequence(time(new Date("2020-01-01T00:00:00Z")), time(until)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, by.key));
  return {
    cert: pem("CERTIFICATE", sequence(body, ecdsaWithSha256, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    issuer: { name: subject, key: privateKey },
  };
}

const far = new Date("2120-01-01T00:00:00Z");

/** A certificate authority with certificates for names, including invalid ones. */
export function makeAuthority(): {
  cert: string;
  issue(name: string, until?: Date): Certificate;
  selfSigned(name: string): Certificate;
} {
  const root = makeCertificate("Authority of a test", authority, far);
  return {
    cert: root.cert,
    issue: (name, until = far) => makeCertificate(name, [forName(name)], until, root.issuer),
    selfSigned: (name) => makeCertificate(name, [forName(name)], far),
  };
}
