import { scheduleCrashes } from "./schedule-crashes.ts";

scheduleCrashes("embedded");
