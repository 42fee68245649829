import { writeFileSync } from "node:fs";
import { projectRoot } from "../setup/project-files.ts";
import { referencePages } from "./reference-pages.ts";

for (const [path, text] of Object.entries(referencePages())) writeFileSync(`${projectRoot}${path}`, text);
