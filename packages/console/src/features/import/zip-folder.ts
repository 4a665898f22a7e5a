/** A file with its path in the archive. */
export interface PathFile {
  path: string;
  file: Blob;
}

/** Where programs have lists of projects: everything else of them would only take time to send. */
const isData =
  /(?:^|\/)(?:_?data|constants?|content|config|lib|utils|store|src)\/[^/]+\.(?:[cm]?[jt]s|[jt]sx)$|(?:projects?|portfolios?|works?|stud(?:y|ies)|cases|showcases?)[^/]*\.(?:[cm]?[jt]s|[jt]sx)$/i;
const maxDataBytes = 256 * 1024;
/** What an import reads; all else would only take time to send. */
const isReadable =
  /\.(?:md|markdown|mdown|mkd|mdx|html?|njk|liquid|json|toml|ya?ml|svg|jpe?g|jfif|png|webp|gif|tiff?|avif|hei[cf]|mp4|mov|webm|mkv|avi)$|(?:^|\/)(?:\.eleventy|[\w.-]+\.config|gatsby-config)\.(?:[cm]?js|ts)$/i;
const isIgnored = /(?:^|\/)(?:node_modules|__MACOSX|_site|dist|\.(?!eleventy\.c?js$)[^/]*)(?:\/|$)/;
/** Far more than any text written by a person; the server refuses larger ones. */
const maxTextBytes = 2 * 1024 * 1024;
const isText = /\.(?:md|markdown|mdown|mkd|mdx|html?|njk|liquid|json|toml|ya?ml|svg|[cm]?js|ts)$/i;
const maxEntries = 65_000;
const maxBytes = 4_000_000_000;

/** The files of a chosen folder that an import reads. */
export function filesToSend(files: readonly File[]): PathFile[] {
  return files.flatMap((file) => {
    const path = file.webkitRelativePath || file.name;
    const isWanted =
      (isReadable.test(path) || (isData.test(path) && file.size <= maxDataBytes)) &&
      !isIgnored.test(path);
    return isWanted && !(isText.test(path) && file.size > maxTextBytes) ? [{ path, file }] : [];
  });
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  return crc >>> 0;
});

/** A file's CRC-32 for ZIP, read in chunks. */
async function checksum(file: Blob, signal: AbortSignal): Promise<number> {
  const reader = file.stream().getReader();
  let crc = 0xff_ff_ff_ff;
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return (crc ^ 0xff_ff_ff_ff) >>> 0;
    for (const byte of value) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
}

const utf8Names = 0x08_00;
/** 1 January 1980, the earliest date in an archive; the date doesn't matter here. */
const someDay = 0x00_21;

interface Entry {
  name: Uint8Array<ArrayBuffer>;
  crc: number;
  size: number;
  offset: number;
}

/** The fields that both headers of an entry share (APPNOTE 4.4). */
function describe(view: DataView, at: number, { name, crc, size }: Entry): void {
  view.setUint16(at, 20, true);
  view.setUint16(at + 2, utf8Names, true);
  view.setUint16(at + 8, someDay, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, size, true);
  view.setUint32(at + 18, size, true);
  view.setUint16(at + 22, name.length, true);
}

function localHeader(entry: Entry): BlobPart[] {
  const header = new DataView(new ArrayBuffer(30));
  header.setUint32(0, 0x04_03_4b_50, true);
  describe(header, 4, entry);
  return [header, entry.name];
}

function directoryEntry(entry: Entry): BlobPart[] {
  const header = new DataView(new ArrayBuffer(46));
  header.setUint32(0, 0x02_01_4b_50, true);
  header.setUint16(4, 20, true);
  describe(header, 6, entry);
  header.setUint32(42, entry.offset, true);
  return [header, entry.name];
}

function endOfDirectory(count: number, bytes: number, offset: number): DataView<ArrayBuffer> {
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06_05_4b_50, true);
  end.setUint16(8, count, true);
  end.setUint16(10, count, true);
  end.setUint32(12, bytes, true);
  end.setUint32(16, offset, true);
  return end;
}

/**
 * Makes a ZIP archive of uncompressed files, because images are already compressed. The files stay
 * on disk until the archive is sent. Throws `RangeError` if they exceed an archive's limits;
 * rejects with AbortError.
 */
export async function zipFiles(
  files: readonly PathFile[],
  options: { signal: AbortSignal; onProgress?(fraction: number): void },
): Promise<Blob> {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length > maxEntries || total > maxBytes) throw new RangeError("too much");
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let [offset, directoryBytes, done] = [0, 0, 0];
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path);
    const crc = await checksum(file, options.signal);
    const entry = { name, crc, size: file.size, offset };
    parts.push(...localHeader(entry), file);
    directory.push(...directoryEntry(entry));
    offset += 30 + name.length + file.size;
    directoryBytes += 46 + name.length;
    done += file.size;
    options.onProgress?.(total > 0 ? done / total : 1);
  }
  const end = endOfDirectory(files.length, directoryBytes, offset);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
