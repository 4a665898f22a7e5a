/** Groups of skills with their technologies; `Name=alias|alias` lists other spellings. */
const groups: Readonly<Record<string, string>> = {
  Design: `Figma, FigJam, Sketch*, Adobe XD=XD|Adobe Experience Design, Photoshop=Adobe Photoshop, Illustrator*=Adobe Illustrator,
    InDesign=Adobe InDesign, After Effects=Adobe After Effects|AfterEffects, Premiere Pro=Adobe Premiere|Premiere, Lightroom=Adobe Lightroom,
    Affinity Designer, Affinity Photo, Affinity Publisher, Framer, Framer Motion, Principle*, ProtoPie, InVision, Zeplin, Axure, Balsamiq, Miro, Canva,
    Procreate, CorelDRAW, Inkscape, GIMP, Penpot, Spline*, Rive, Lottie, Glyphs*, FontLab, RoboFont, Webflow, Readymag, Squarespace, Wix, Cargo Collective, Bubble.io`,
  "3D and film": `Blender, Cinema 4D=C4D|Cinema4D, Maya*, 3ds Max, Houdini, ZBrush, Rhino*=Rhinoceros, Grasshopper*, SketchUp, AutoCAD, Revit, Fusion 360,
    SolidWorks, Unity*, Unreal Engine=Unreal, Godot, TouchDesigner, DaVinci Resolve, Final Cut Pro, Nuke*, KeyShot, Substance Painter, Octane Render,
    Redshift, Three.js=ThreeJS, WebGL, WebGPU, Babylon.js=BabylonJS, A-Frame, p5.js=p5js, Processing*, openFrameworks, Max/MSP, Arduino, Raspberry Pi, GLSL`,
  Frontend: `HTML=HTML5, CSS=CSS3, Sass=SCSS, Less*, Tailwind CSS=Tailwind|TailwindCSS, Bootstrap*, JavaScript=JS|ECMAScript, TypeScript=TS,
    React=React.js|ReactJS, Preact, Next.js=NextJS, Remix*, Gatsby*, Vue=Vue.js|VueJS, Nuxt=Nuxt.js|NuxtJS, Svelte, SvelteKit, Angular, AngularJS,
    Ember.js, Solid.js=SolidJS, Astro, Eleventy=11ty, Hugo*, Jekyll, Alpine.js=AlpineJS, htmx, Stimulus, Hotwire, Lit*, jQuery, D3=D3.js, Chart.js,
    GSAP=GreenSock, Vite, webpack, Rollup, Parcel*, esbuild, Babel*, Storybook, Redux, MobX, TanStack Query=React Query, Radix UI, shadcn/ui,
    Material UI=MUI, Chakra UI, styled-components, Emotion*, PWA, Web Components, Mapbox, Leaflet, OpenLayers, OpenStreetMap, MapLibre, Google Maps, Electron*, Tauri`,
  Backend: `Node.js=NodeJS|Node*, Deno, Bun*, Express.js=Express*, Fastify, NestJS=Nest.js, Koa, PHP, Laravel, Symfony, Slim Framework, Python, Django, Flask*,
    FastAPI, Ruby on Rails=Rails*, Ruby*, Java, Spring Boot, Kotlin, Scala, Golang, Rust*, C++, C#=CSharp, .NET=dotnet, ASP.NET, Elixir, Phoenix Framework,
    Erlang, Haskell, Clojure, Perl, Lua, GraphQL, REST, gRPC, tRPC, WebSockets=WebSocket, RabbitMQ, Kafka=Apache Kafka, OAuth, OpenAPI, Stripe*, PayPal, Twilio`,
  "Content and shops": `WordPress=Wordpress, WooCommerce, Shopify, Magento, PrestaShop, Drupal, Joomla, TYPO3, Craft CMS, Kirby CMS=Kirby, Statamic, Ghost CMS,
    Contentful, Sanity*=Sanity.io, Strapi, Storyblok, Prismic, Directus, Payload CMS, DatoCMS, Decap CMS, Umbraco, Sitecore, Contao, Neos CMS, Shopware,
    BigCommerce, Gutenberg, Elementor, Liquid*, Mailchimp, Airtable, Notion*, Zapier, Klaviyo`,
  Data: `PostgreSQL=Postgres, MySQL, MariaDB, SQLite, MongoDB, Redis, Elasticsearch, OpenSearch, DynamoDB, Firestore, Firebase, Supabase, PlanetScale,
    Prisma*, Drizzle*, Neo4j, BigQuery, Snowflake*, Databricks, dbt, Tableau, Power BI, Looker, Excel*=Microsoft Excel, Google Sheets, pandas, NumPy, SciPy, Jupyter,
    TensorFlow, PyTorch, scikit-learn, Keras, OpenCV, Hugging Face, LangChain, Observable Plot, QGIS, PostGIS, SQL, Airflow, Spark*=Apache Spark`,
  Mobile: `Swift*, SwiftUI, UIKit, Objective-C, iOS, iPadOS, watchOS, Android, Jetpack Compose, React Native, Flutter, Dart*, Expo*, Ionic, Capacitor*, Cordova, Xcode, ARKit, ARCore`,
  Operations: `Docker, Kubernetes=K8s, Terraform, Ansible, AWS=Amazon Web Services, Google Cloud=GCP, Azure=Microsoft Azure, Vercel, Netlify, Cloudflare, Heroku,
    DigitalOcean, Hetzner, nginx=NGINX, Apache HTTP Server, Caddy, Linux, Debian, Ubuntu, Git, GitHub, GitHub Actions, GitLab, Bitbucket, Jenkins, CircleCI,
    Sentry, Grafana, Prometheus, Datadog, Varnish, Jira, Confluence, Slack, Trello, Asana`,
  "Quality and research": `Playwright, Cypress*, Puppeteer, Selenium, Jest*, Vitest, Mocha*, Lighthouse, axe-core, WCAG, ARIA, VoiceOver, NVDA, JAWS, Hotjar, Maze*, UserTesting, Lookback,
    Dovetail, Optimal Workshop, Google Analytics=GA4, Matomo, Plausible, Fathom*, Mixpanel, Amplitude, Google Tag Manager, Search Console, Schema.org`,
};

export interface Technology {
  name: string;
  group: string;
  /** All its spellings. */
  spellings: readonly string[];
  /** Spellings that are also common words, and so count only in this exact form. */
  ambiguous: ReadonlySet<string>;
}

function readEntry(entry: string, group: string): Technology {
  const all = entry.split(/[=|]/).map((part) => part.trim());
  const spellings = all.map((part) => part.replace(/\*$/, ""));
  const ambiguous = spellings.filter((_, i) => all[i]?.endsWith("*"));
  return { name: spellings[0] ?? "", group, spellings, ambiguous: new Set(ambiguous) };
}

/** What portfolios are made with, in the usual spelling. */
export const technologies: readonly Technology[] = Object.entries(groups).flatMap(([group, list]) =>
  list.split(/,\s+/).map((entry) => readEntry(entry.trim(), group)),
);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

interface Spelling {
  technology: Technology;
  text: string;
  isAmbiguous: boolean;
  pattern: RegExp;
}

/** Longest first, so that React Native isn't matched as React. */
const spellings: readonly Spelling[] = technologies
  .flatMap((technology) =>
    technology.spellings.map((text) => {
      // Two letters, such as TS, are too short to match on their own.
      const isAmbiguous = technology.ambiguous.has(text) || text.length < 3;
      const flags = isAmbiguous ? "gu" : "giu";
      const pattern = new RegExp(
        String.raw`(?<![\p{L}\p{N}_.@/-])${escaped(text)}(?![\p{L}\p{N}_@]|[./-][\p{L}\p{N}])`,
        flags,
      );
      return { technology, text, isAmbiguous, pattern };
    }),
  )
  .toSorted((one, other) => other.text.length - one.text.length);

/** Whether a position begins a sentence or a line, where any word is capitalized. */
export function isSentenceStart(text: string, at: number): boolean {
  return /(?:^\s*|[\n.!?:…]["”’)]*\s*)(?:[-*+>#]+\s+|\d+[.)]\s+)?["“‘(*_]*$/u.test(
    text.slice(Math.max(0, at - 40), at),
  );
}

/** The technologies that a text names, in order of their first occurrence. */
export function findTechnologies(text: string): Technology[] {
  let left = text;
  const found = new Map<Technology, number>();
  for (const { technology, text: spelling, isAmbiguous, pattern } of spellings) {
    left = left.replace(pattern, (match, at: number) => {
      if (
        isAmbiguous &&
        isSentenceStart(text, at) &&
        !/^[,;\n]|^ (?:and|with|&)/.test(text.slice(at + match.length))
      )
        return match;
      found.set(technology, Math.min(found.get(technology) ?? Infinity, at));
      return " ".repeat(spelling.length);
    });
  }
  return [...found].toSorted(([, one], [, other]) => one - other).map(([technology]) => technology);
}

/** The text with technologies blanked out, so that they aren't mistaken for clients. */
export function withoutTechnologies(text: string): string {
  return spellings.reduce(
    (left, { pattern }) => left.replace(pattern, (match) => match.replace(/\S/g, " ")),
    text,
  );
}
