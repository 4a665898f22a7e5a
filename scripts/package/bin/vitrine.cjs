#!/usr/bin/env node
// Only syntax that every Node knows, so that old ones can say what is wrong.
"use strict";

var version = process.versions.node.split(".").map(Number);
if (version[0] > 24 || (version[0] === 24 && version[1] >= 15)) {
  require("./run.cjs");
} else {
  console.error(
    "Vitrine needs Node 24.15 or later. This is Node " +
      process.versions.node +
      " (" +
      process.execPath +
      ").\nInstall a newer one from https://nodejs.org and run the command again.",
  );
  process.exit(1);
}
