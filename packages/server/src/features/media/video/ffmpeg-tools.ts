import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { systemPath } from "../../../platform/process.ts";

/** The two programs for videos. */
export interface FfmpegTools {
  ffmpeg: string;
  ffprobe: string;
  /** What they need besides the system's shared libraries. */
  libraries: string[];
}

/** Where the programs are searched for; a custom build may keep its libraries elsewhere. */
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

/** The programs, or null if one of them isn't installed. */
export async function findFfmpegTools(places: FfmpegLocations): Promise<FfmpegTools | null> {
  const { searchPath = systemPath, libraries = [] } = places;
  const [ffmpeg, ffprobe] = await Promise.all([
    find("ffmpeg", searchPath),
    find("ffprobe", searchPath),
  ]);
  return ffmpeg === null || ffprobe === null ? null : { ffmpeg, ffprobe, libraries };
}
