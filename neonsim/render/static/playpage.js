// Home 4: the playground, a page of the site.

import { openPlayground } from "./play.js";

openPlayground();
