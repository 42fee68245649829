import { turnCrashes } from "./turn-crashes.ts";

turnCrashes("embedded");
