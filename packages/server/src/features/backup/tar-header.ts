/** An entry of a tar archive. A link's `linkname` is the path of an earlier file. */
export interface TarHeader {
  name: string;
  type: "file" | "directory" | "link";
  linkname?: string;
  /** Bytes of the content that follows; 0 for folders and links. */
  size: number;
  mode: number;
  mtime: Date;
}

const blockBytes = 512;
const maxNameBytes = 100;
/** What twelve characters with an octal number can hold. */
const maxSize = 8 ** 11 - 1;
const flags = { file: "0", link: "1", directory: "5", extended: "x" };

/** The bytes to add after `size` bytes of content, so that the next header begins a block. */
export function paddingBytes(size: number): number {
  return -size & (blockBytes - 1);
}

function octal(value: number, digits: number): string {
  return Math.max(0, Math.floor(value)).toString(8).padStart(digits, "0");
}

type Fields = Omit<TarHeader, "type"> & { type: keyof typeof flags };

function block({ name, type, linkname = "", size, mode, mtime }: Fields): Buffer {
  const bytes = Buffer.alloc(blockBytes);
  bytes.write(name, 0, maxNameBytes, "latin1");
  bytes.write(octal(mode & 0o7777, 7), 100, "latin1");
  bytes.write(octal(0, 7), 108, "latin1");
  bytes.write(octal(0, 7), 116, "latin1");
  bytes.write(octal(Math.min(size, maxSize), 11), 124, "latin1");
  bytes.write(octal(Math.min(mtime.getTime() / 1000, maxSize), 11), 136, "latin1");
  // The checksum counts its own field as spaces.
  bytes.write("        ", 148, "latin1");
  bytes.write(flags[type], 156, "latin1");
  bytes.write(linkname, 157, maxNameBytes, "latin1");
  bytes.write("ustar\u000000", 257, "latin1");
  let sum = 0;
  for (let i = 0; i < blockBytes; i += 1) sum += bytes[i] as number;
  bytes.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return bytes;
}

/** A line of an extended header, which begins with its own length in bytes. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (rest + `${length}`.length !== length) length = rest + `${length}`.length;
  return `${length} ${key}=${value}\n`;
}

/** Whether every reader reads this text the same way from a header's field. */
const isShort = (text: string) => text.length <= maxNameBytes && /^[\x20-\x7E]*$/.test(text);

/**
 * The header of an entry, as POSIX defines it (pax): names that are long or not ASCII, and sizes
 * from 8 GiB, are in an extended header before it.
 */
export function tarHeader(header: TarHeader): Buffer {
  const { name, linkname = "", size, mode, mtime } = header;
  const records = [
    isShort(name) ? "" : record("path", name),
    isShort(linkname) ? "" : record("linkpath", linkname),
    size <= maxSize ? "" : record("size", `${size}`),
  ].join("");
  if (records === "") return block(header);
  const text = Buffer.from(records);
  const padding = Buffer.alloc(paddingBytes(text.length));
  const extended: Fields = { name: "PaxHeader", type: "extended", size: text.length, mode, mtime };
  return Buffer.concat([block(extended), text, padding, block(header)]);
}

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes);
