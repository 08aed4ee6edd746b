import { ThreadWorker } from "npm:poolifier-web-worker@0.5.15";
import { echo, hold, measure } from "./tasks.ts";

type TaskFunction = (data?: unknown) => unknown;

export default new ThreadWorker<unknown, unknown>({
  echo,
  hold: hold as TaskFunction,
  measure: measure as TaskFunction,
});
