export { valueAt } from "../problems/problem.ts";
export { type ConfigFile, openConfigFile } from "./config-file.ts";
