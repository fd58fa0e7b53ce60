// Home 2: a file of its own that replays its run.

import { openSaved } from "./saved.js";

openSaved();
