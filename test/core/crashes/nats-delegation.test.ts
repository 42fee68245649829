import { delegationCrashes } from "./delegation-crashes.ts";

delegationCrashes("nats");
