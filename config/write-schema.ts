import { writeFileSync } from "node:fs";
import { configJsonSchema } from "./schema/json-schema.ts";

const target = new URL("./mooring.schema.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
