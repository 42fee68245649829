import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Debian installs servers in folders that a plain user's PATH does not contain. */
const USUAL_FOLDERS = ["/usr/sbin", "/usr/bin"];

/** The full path of a program, or undefined. */
export const findTool = (name, { searchPath = process.env.PATH ?? "", usualFolders = USUAL_FOLDERS } = {}) =>
  [...searchPath.split(path.delimiter), ...usualFolders]
    .filter((folder) => folder !== "")
    .map((folder) => path.join(folder, name))
    .find(isExecutable);

const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};
