import { randomCrashes } from "./random-crashes.ts";

randomCrashes("embedded");
