import { delegationLives } from "./delegation-lives.ts";

delegationLives("embedded", 2);
