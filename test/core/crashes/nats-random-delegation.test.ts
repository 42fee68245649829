import { randomDelegationCrashes } from "./random-delegation-crashes.ts";

randomDelegationCrashes("nats", 1);
