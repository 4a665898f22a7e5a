/** A word for which the repository has another one. */
export interface Rule {
  /**
   * Words of identifiers and file names, in lower case, also with a plural s: "came back" is two
   * words.
   */
  names?: readonly string[];
  /** Phrases in texts for people. */
  texts?: RegExp;
  /** What to write instead. */
  instead: string;
  because: string;
  /** Identifiers named by libraries, standards, and released versions. */
  except?: readonly string[];
}

const oneWord = "one word for one thing";
const image = "an image, not the field's term";
const sentence = "files and functions are named with nouns and verbs";
const bounds = "bounds begin with max or min and end in the unit";
const unspoken = "nobody says it";

export const rules: readonly Rule[] = [
  // One word for one thing.
  {
    names: ["film"],
    instead: "video",
    because: "HTML's and ffmpeg's word",
    except: ["film", "films"],
  },
  { names: ["mend", "mended", "mending", "mendable"], instead: "fix", because: oneWord },
  {
    names: ["picture"],
    instead: "image",
    because: "HTML's word",
    except: ["picture", "pictures", "bodyPictures", "sharePictures", "SHARE_PICTURES"],
  },
  { names: ["pass id", "finish pass"], instead: "QA run", because: oneWord },
  { names: ["not run"], instead: "skipped checks", because: oneWord },
  {
    names: ["colour", "behaviour", "catalogue", "defence"],
    instead: "color, behavior, catalog, defense",
    because: "one spelling, American",
  },
  { names: ["begun at"], instead: "started at", because: oneWord, except: ["begunAt"] },
  { names: ["stranger"], instead: "external, visitor or signed out", because: oneWord },
  {
    names: ["deps"],
    instead: "Dependencies in names of types",
    because: oneWord,
    except: ["deps", "optimizeDeps"],
  },
  { names: ["set asked"], instead: "what is confirmed (entryToDelete)", because: sentence },
  {
    names: ["date found", "name found", "number found", "text found"],
    instead: "FoundDate, or an Error",
    because: sentence,
  },
  {
    names: ["where differing", "reason to leave", "clock ahead"],
    instead: "a verb",
    because: sentence,
  },
  { names: ["perform literally", "try literally"], instead: "execute", because: sentence },
  { names: ["needs sight"], instead: "needsVision", because: oneWord },
  { names: ["owner words"], instead: "owner messages", because: oneWord },
  // The field's terms.
  {
    names: ["drain"],
    instead: "worker",
    because: "graphile/worker's word",
    except: ["drain", "lockDrainTimeout"],
  },
  { names: ["lapsed"], instead: "expired", because: "leases expire" },
  { names: ["heir"], instead: "successor", because: image },
  {
    names: ["desk"],
    instead: "importer or state",
    because: image,
    except: ["2024-11-02-clinic-front-desk.md"],
  },
  {
    names: ["telling", "untold"],
    instead: "diagnostics",
    because: "what is reported about an import",
  },
  { names: ["surroundings"], instead: "dependencies, settings or environment", because: image },
  { names: ["decoy"], instead: "dummy", because: "the word for what is hashed for nobody" },
  { names: ["tenure", "tenancy"], instead: "lock", because: image },
  { names: ["lookout"], instead: "availability", because: image },
  { names: ["keeper"], instead: "supervisor or registry", because: image },
  { names: ["pulse"], instead: "schedule", because: image },
  { names: ["linger", "lingering"], instead: "early response", because: image },
  { names: ["intake"], instead: "upload queue, or create", because: image },
  { names: ["trouble", "troubled"], instead: "error or failure", because: image },
  { names: ["lane"], instead: "slot, concurrency", because: image, except: ["lanes"] },
  { names: ["fate"], instead: "outcome", because: image },
  { names: ["pill"], instead: "launcher", because: "what it does, not its shape" },
  { names: ["substance"], instead: "visible size", because: image },
  { names: ["glance"], instead: "inspect", because: image },
  { names: ["looker", "asker"], instead: "fetcher, prompt, or what it does", because: image },
  { names: ["bait"], instead: "honeypot", because: "the field's word" },
  { names: ["lies", "liar"], instead: "misbehaving", because: image },
  { names: ["furniture"], instead: "extended, additions", because: image },
  { names: ["upended"], instead: "rotated", because: "a video's metadata" },
  { names: ["specimen"], instead: "preview", because: image },
  { names: ["overtaken"], instead: "stale", because: image },
  { names: ["likeness"], instead: "similarity", because: unspoken },
  { names: ["patience"], instead: "timeout", because: image },
  { names: ["beat"], instead: "heartbeat", because: oneWord },
  { names: ["truth"], instead: "what matches or holds", because: image },
  { names: ["slips"], instead: "typo", because: image },
  { names: ["readdressed"], instead: "rewritten", because: unspoken },
  { names: ["unsay"], instead: "withdraw", because: unspoken },
  { names: ["unpoint"], instead: "remove", because: unspoken },
  // Bounds.
  {
    names: ["longest", "deepest", "widest"],
    instead: "max",
    because: bounds,
    except: ["longest", "longestWord", "deepest", "longestDelay"],
  },
  { names: ["fewest", "narrowest", "shortest"], instead: "min", because: bounds },
  // No sentences.
  {
    names: ["came back", "going on", "going live", "as created", "not taken", "carry out"],
    instead: "the verb of its function, or what it exports",
    because: sentence,
    except: ["carryOut"],
  },
  {
    names: ["nothing more", "taking time", "body time", "summary words", "device words"],
    instead: "strict schemas, timeouts, labels, formats",
    because: sentence,
  },
  // What people read.
  { texts: /\bworked off\b/i, instead: "running", because: unspoken },
  { texts: /\bQA pass(es)?\b/, instead: "QA run", because: oneWord },
  { texts: /\bset-ups?\b/i, instead: "setup", because: oneWord },
  {
    // axe's own message, which its findings quote, begins with "Images must have".
    texts: /(?<!\bmust have )\balternative texts?\b/i,
    instead: "alt text",
    because: oneWord,
  },
  { texts: /: left out\b/, instead: "so it's left out", because: unspoken },
];
