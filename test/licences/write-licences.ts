import { readFileSync, writeFileSync } from "node:fs";
import { projectRoot } from "../setup/project-files.ts";
import { bundled } from "./bundled.ts";
import { dependenciesIn, licencePage } from "./licence-list.ts";

const dependencies = dependenciesIn(readFileSync(`${projectRoot}package-lock.json`, "utf8"));
writeFileSync(`${projectRoot}docs/licences.md`, licencePage(dependencies, bundled));
