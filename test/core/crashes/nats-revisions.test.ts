import { revisionCrashes } from "./revision-crashes.ts";

revisionCrashes("nats");
