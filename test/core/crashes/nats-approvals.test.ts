import { approvalCrashes } from "./approval-crashes.ts";

approvalCrashes("nats");
