import { crc32, deflateRawSync } from "node:zlib";

export interface ZipMember {
  name: string;
  data: Buffer;
  method?: number;
  flags?: number;
  /** Of the Unix mode. */
  mode?: number;
  /** What the directory says of the size, where it lies. */
  size?: number;
  crc?: number;
}

/** An archive as other programs write it (APPNOTE 4.3). */
export function zip(members: readonly ZipMember[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, method = 8, flags = 0, mode = 0o100644, ...said } of members) {
    const bytes = Buffer.from(name);
    const packed = method === 8 ? deflateRawSync(data) : data;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(bytes.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(said.crc ?? crc32(data), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(said.size ?? data.length, 24);
    entry.writeUInt16LE(bytes.length, 28);
    entry.writeUInt32LE(mode * 65_536, 38);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, bytes, packed);
    directory.push(entry, bytes);
    offset += 30 + bytes.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}
