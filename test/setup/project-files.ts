import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** Folders that are never committed. */
const NOT_OURS = new Set(["node_modules", "dist", "data", "coverage", ".git"]);

/** Every file of the project, as paths from its root with "/". */
export const projectFiles = (folder = ""): string[] =>
  readdirSync(`${projectRoot}${folder}`, { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => (entry.isDirectory() ? projectFiles(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]));
