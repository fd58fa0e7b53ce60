// Home 3: a file of its own that does its run again with other values.

import { InputsBar } from "./inputs.js";
import { Live } from "./live.js";
import { openSaved } from "./saved.js";

openSaved({ live: (data, program) => new Live(data, program), bar: (app, machine) => new InputsBar(app, machine).element });
