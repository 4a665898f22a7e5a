import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { systemPath } from "../../../platform/process.ts";

/** The two programs that videos are worked on with. */
export interface FfmpegTools {
  ffmpeg: string;
  ffprobe: string;
  /** What they need to see besides the system's shared libraries. */
  libraries: string[];
}

/** Where the programs are looked for; a build of one's own may keep its libraries apart. */
export interface FfmpegLocations {
  searchPath?: string;
  libraries?: string[];
}

export const missingTools = "Video needs ffmpeg: apt-get install ffmpeg";

async function find(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

/** The programs, or null when one of them is not installed. */
export async function findFfmpegTools(places: FfmpegLocations): Promise<FfmpegTools | null> {
  const { searchPath = systemPath, libraries = [] } = places;
  const [ffmpeg, ffprobe] = await Promise.all([
    find("ffmpeg", searchPath),
    find("ffprobe", searchPath),
  ]);
  return ffmpeg === null || ffprobe === null ? null : { ffmpeg, ffprobe, libraries };
}
