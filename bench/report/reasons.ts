/** Why targets are missed, by the bench's name and the figure's id. */
export const reasons: Record<string, string> = {
  "growth/preview-1000":
    "all pages are rendered, because page code may keep something from one page to the next ([decision 062](decisions/062-unchanged-files-are-named.md)), and their folders are made in the artifact",
  "growth/disk-1000":
    "no release of this size was old enough to become the next one ([decision 070](decisions/070-the-oldest-release-becomes-the-next.md))",
  "growth/save-1000": "all pages are rendered, and their folders are made in the artifact",
  "growth/save-10000":
    "all pages are rendered, and the résumé's PDF lists all projects ([decision 057](decisions/057-what-grows-is-made-again-in-part.md))",
  "growth/publish-6":
    "git is asked nine times, one after the other, which takes two thirds of the time; each answer is durable",
  "growth/publish-1000":
    "measured before previews were compared with private texts in advance ([decision 082](decisions/082-previews-are-compared-in-advance.md)), which was two thirds of it",
  "idle/idle":
    "measured while the process that makes lighter copies of images was running, and before the garbage of a start was collected ([decision 058](decisions/058-idle-instances-and-fast-starts.md))",
  "uploads/own": "conversions use both processors; nginx beside it needs as long, in milliseconds",
  "http-api/health-ratio":
    "11 of the bare route's 12 µs are the system's write, which leaves 4 µs for hooks, headers, and the log",
  "http-api/check-ratio":
    "the session is read from the database at each request, so that signing out holds at once",
  "rebuild/record-1000":
    "all pages are rendered; Astro alone needs about half of its time to start",
  "static/home-nginx as shipped-64": "it looks up each page's policy and writes a log",
  "static/home-nginx as shipped-512": "it looks up each page's policy and writes a log",
};
