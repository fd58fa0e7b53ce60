"use strict";
// In place of Sphinx's own: words that were searched for are not marked in the pages, whose drawings it stumbles over.
const SPHINX_HIGHLIGHT_ENABLED = false;
