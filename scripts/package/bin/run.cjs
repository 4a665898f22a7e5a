"use strict";

const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

// A path of the published package; in the repository, the module isn't compiled.
import(pathToFileURL(join(__dirname, "../packages/server/src/processes/npx.js")).href);
