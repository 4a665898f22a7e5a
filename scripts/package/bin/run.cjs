"use strict";

import("../packages/server/src/processes/main.js");
