import { randomDelegationCrashes } from "./random-delegation-crashes.ts";

randomDelegationCrashes("embedded", 2);
