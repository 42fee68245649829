import { everyDeath, lateDeaths, pairDeaths } from "./pair-deaths.ts";

pairDeaths("embedded", [...everyDeath, ...lateDeaths]);
