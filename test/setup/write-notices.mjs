import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const NOTICE = /^(licen[cs]e|notice|copying)/i;

/** Writes the licences of all packages whose code the bundles contain: they ask for their text to be kept. */
export const writeNotices = (root, file, metafiles) => {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
  );
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).flatMap(([path]) => FOLDER.exec(path) ?? []);
  const texts = [...new Set(used)].map((folder) => {
    const { name, version, license = "" } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const notices = readdirSync(join(root, folder))
      .filter((each) => NOTICE.test(each))
      .map((each) => readFileSync(join(root, folder, each), "utf8").trim());
    return [`${name} ${version} (${license})`, ...notices].join("\n\n");
  });
  const head = "Mooring contains code of these packages, under their own licences.";
  writeFileSync(file, `${[head, ...texts.sort()].join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
  return texts.length;
};
