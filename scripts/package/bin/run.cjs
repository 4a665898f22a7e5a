"use strict";

import("../packages/server/src/processes/npx.js");
