import { storedFiles } from "./stored-files.ts";

storedFiles("embedded");
