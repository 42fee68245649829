import { parseArgs } from "node:util";
import { checkConfig } from "./check-config.ts";

const { values } = parseArgs({ options: { config: { type: "string" } } });
const { ok, report } = checkConfig({ file: values.config });
console.log(report);
process.exitCode = ok ? 0 : 1;
