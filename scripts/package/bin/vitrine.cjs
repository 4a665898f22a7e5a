#!/usr/bin/env node
// Only syntax that every Node knows, so that old ones can say what is wrong.
/* oxlint-disable no-var */
"use strict";

var version = process.versions.node.split(".").map(Number);
if (version[0] > 24 || (version[0] === 24 && version[1] >= 15)) {
  require("./run.cjs");
} else {
  var found = "This is Node " + process.versions.node + " (" + process.execPath + ").";
  console.error("Vitrine needs Node 24.15 or later. " + found);
  console.error("Install a newer one from https://nodejs.org and run the command again.");
  process.exit(1);
}
