import { embeddedData } from "./backbone-data.ts";
import { relayCrashes } from "./relay-crashes.ts";

relayCrashes("the embedded backbone", embeddedData);
