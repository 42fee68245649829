import { readFileSync, writeFileSync } from "node:fs";
import { projectRoot } from "../setup/project-files.ts";
import { dependenciesIn, licencePage } from "./licence-list.ts";
import { tools } from "./tools.ts";

const dependencies = dependenciesIn(readFileSync(`${projectRoot}package-lock.json`, "utf8"), tools);
writeFileSync(`${projectRoot}docs/licences.md`, licencePage(dependencies));
