/** The programs that `npm run bench` runs, in their order. */
export interface Bench {
  name: string;
  title: string;
  /** What is compared with what, for the document. */
  about: string;
  /** Below bench/. */
  program: string;
  args?: readonly string[];
  /** Instead of `args`, to see in a few minutes whether it works. */
  quickArgs: readonly string[];
  /** The names of tools (`platform/system-tools.ts`) without which it can't run. */
  tools?: readonly string[];
}

export const benches: readonly Bench[] = [
  {
    name: "growth",
    title: "As a site grows",
    about:
      "An installed instance over HTTP: the preview of an edited word of the home page, its publish, and a saved project, each until the page shows it; the largest build process; what a publish adds on the disk. In the same rounds, whole builds of the same records: Astro builds the very site, Eleventy and Hugo a plain one without search, share images, PDF, and compressed files. Sites of more than 1,000 projects are measured without share images. Processor time includes all processes of the instance, such as the next builder that is loaded in advance.",
    program: "growth/run.ts",
    quickArgs: ["--sizes=6,100", "--rounds=1"],
  },
  {
    name: "rebuild",
    title: "Rebuilds of 1,000 projects",
    about:
      "From a request to the release being live, durable: after one record was saved, and after a change to every page's code, so that nothing can be used again. Beside it Astro alone, and Astro followed by the same index for searching and compressed files. Processor times, because Vitrine's steps run beside each other.",
    program: "records/rebuild.ts",
    args: ["--sizes=1000", "--rounds=5"],
    quickArgs: ["--sizes=50", "--rounds=1"],
  },
  {
    name: "preview",
    title: "Previews of edited code",
    about:
      "From an edited page's source to the stored artifact, with a live release, beside `astro build` of the same content from a cold start.",
    program: "preview/run.ts",
    quickArgs: ["--rounds=1"],
  },
  {
    name: "publish",
    title: "Steps of a publish",
    about: "From the call to the response of a publish whose base hasn't moved: all of it durable.",
    program: "publish/run.ts",
    quickArgs: ["5"],
  },
  {
    name: "static",
    title: "Pages and files",
    about:
      "An installed instance over HTTP, with its hooks and its log: the home page and the style sheet by web alone, by front, and by nginx with the configuration that Vitrine writes, beside nginx with the same files, one worker, and no log. wrk asks, in turn.",
    program: "http/static.ts",
    quickArgs: ["--seconds=1", "--rounds=1", "--connections=64"],
    tools: ["nginx", "wrk"],
  },
  {
    name: "busy",
    title: "Pages while the instance works",
    about:
      "The home page of an installed instance while its site is rebuilt, and while it converts images, beside nginx on the same machine at the same time: both are asked in turn at a fixed rate.",
    program: "http/busy.ts",
    quickArgs: ["--rounds=1", "--seconds=5"],
    tools: ["nginx"],
  },
  {
    name: "uploads",
    title: "Pages while photos are uploaded",
    about:
      "The home page of an installed instance while 80 photos of 4 to 12 megapixels are sent at once, half of them as resumable uploads, and converted, beside nginx on the same machine at the same time, and beside both while the instance is idle.",
    program: "media/uploads.ts",
    quickArgs: ["--rounds=1", "--count=8", "--idle-seconds=5"],
    tools: ["nginx"],
  },
  {
    name: "http-api",
    title: "Requests of the API",
    about:
      "`GET /api/health` and `GET /api/adminauth/check` with hooks and log, beside a route of bare Fastify in the same process, in turn.",
    program: "http/api.ts",
    quickArgs: ["--seconds=0.5", "--rounds=1"],
  },
  {
    name: "records-api",
    title: "The API of projects",
    about: "Requests to the API of projects with 10,000 records, beside the same with 10.",
    program: "records/api.ts",
    quickArgs: ["--rounds=5", "--sizes=10,1000"],
  },
  {
    name: "tasks",
    title: "Tasks",
    about:
      "Eight processes claim and finish 6,000 tasks on PostgreSQL, beside graphile-worker, and claim them beside a bare `UPDATE … RETURNING`, both durable, in turn.",
    program: "tasks/run.ts",
    args: ["5"],
    quickArgs: ["1", "--tasks=1000"],
    tools: ["postgresql"],
  },
  {
    name: "tasks-api",
    title: "The API of tasks",
    about: "Processor time of responses about 10,000 tasks, 300 of them with runs.",
    program: "tasks/api.ts",
    quickArgs: ["sqlite"],
  },
  {
    name: "images",
    title: "Images",
    about:
      "From received JPEGs of 24 megapixels to all that is stored of them, beside vipsthumbnail with two threads making one JPEG of each, in turn.",
    program: "media/images.ts",
    quickArgs: ["--images=2", "--rounds=1"],
    tools: ["vipsthumbnail"],
  },
  {
    name: "videos",
    title: "Videos",
    about:
      "From a received video to what is stored of it, in the sandbox, beside ffmpeg alone with the same filters and encoding, in turn, both at low priority.",
    program: "media/videos.ts",
    quickArgs: ["1"],
    tools: ["ffmpeg"],
  },
  {
    name: "backup",
    title: "Backups",
    about: "`vitrine backup` of 1,000 projects beside `tar czf` of the same files, in turn.",
    program: "backup/run.ts",
    quickArgs: ["--sizes=50", "--rounds=1"],
  },
  {
    name: "idle",
    title: "Memory and starts",
    about:
      "All processes of an installed instance: memory by PSS, which counts shared pages once, and the processor time of a start.",
    program: "idle/run.ts",
    quickArgs: ["--seconds=3"],
  },
  {
    name: "scale",
    title: "Very many sites",
    about:
      "One installation with 100,000 registered further sites: looking up the site of a random host, the first and further pages of 1,000 sites of 20 pages each, and the memory of what serves them.",
    program: "scale/run.ts",
    quickArgs: ["--sites=2000", "--used=50", "--requests=500"],
  },
  {
    name: "scale-publish",
    title: "From one node to another",
    about:
      "Two nodes on one PostgreSQL and one S3 server: from a publish at one of them until a page of the other one has the new text, the same for a saved project, and for a further site that sleeps there. Beside it, the least that a node could do: hear of it through PostgreSQL and fetch the same objects.",
    program: "scale/publishes.ts",
    quickArgs: ["--publishes=2", "--saves=1", "--site-publishes=2"],
    tools: ["postgresql"],
  },
  {
    name: "scale-runners",
    title: "Several runners",
    about:
      "Tasks of the queue, from the instruction to the published change, with one, two, and four nodes, beside ideal. If the model answers at once, the processors of this machine are the limit, so ideal is as many times one runner as there are processors, at most. If it takes 2 s for each of its two answers, as real models do, ideal is as many times one runner as there are runners.",
    program: "scale/runners.ts",
    quickArgs: ["--tasks=2", "--runners=1,2", "--answer-seconds=0"],
    tools: ["postgresql"],
  },
  {
    name: "scale-neighbor",
    title: "A busy neighbor",
    about:
      "100 further sites on one machine, with and without one of them working without pause, in turn: it saves a project again and again, makes previews, uploads four photos of 24 megapixels at once, and has 500 visits a second. Measured are pages of the other sites, beside nginx with the same files at the same time, and how long the owner of another site waits for a saved summary to be live.",
    program: "scale/neighbor.ts",
    quickArgs: ["--rounds=1", "--seconds=3", "--sites=20"],
    tools: ["nginx"],
  },
  {
    name: "qa",
    title: "The QA engine",
    about:
      "A generated site of 300 pages and 6,000 links with known defects, beside linkinator, in turn, each in a process of its own.",
    program: "qa/run.ts",
    quickArgs: ["--rounds=1", "--browser-pages=0"],
    tools: ["chromium"],
  },
  {
    name: "browser-client",
    title: "The QA engine's client of Chromium",
    about: "Visits of the same pages by Playwright, beside the engine's own client, in turn.",
    program: "qa/browser-client.ts",
    quickArgs: ["--rounds=1", "--pages=10", "--only=visit"],
    tools: ["chromium"],
  },
  {
    name: "accounts",
    title: "Account pages",
    about: "Rendering an account page with hono's templates, beside our own, in turn.",
    program: "accounts/pages.ts",
    quickArgs: ["--rounds=3", "--pages=200"],
  },
  {
    name: "agent",
    title: "The Editor with scripted models",
    about: "The share of runs that pass, by kind of model (bench/agent/README.md).",
    program: "agent/run.ts",
    quickArgs: ["--task=heading,price"],
  },
  {
    name: "review",
    title: "What goes live unattended",
    about:
      "The share of usual changes that go live, and of hostile ones that don't (bench/review/README.md).",
    program: "review/run.ts",
    quickArgs: ["--most=1"],
    tools: ["chromium"],
  },
];
