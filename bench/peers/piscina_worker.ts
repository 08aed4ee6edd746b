export { echo, hold, measure } from "./tasks.ts";
