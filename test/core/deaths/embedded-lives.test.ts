import { randomLives } from "./random-lives.ts";

randomLives("embedded");
