// A folder over HTTP: node web/test/serve.mjs FOLDER prints the address.

import { serve } from "./tools.mjs";

console.log((await serve(process.argv[2])).url);
