import { workspaceCrashes } from "./workspace-crashes.ts";

workspaceCrashes("embedded");
