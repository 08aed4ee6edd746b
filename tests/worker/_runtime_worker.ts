import { serve } from "../../src/worker/web_entry.ts";

// What the parent's trampoline does. What it is to load is in the worker's name: if it were in the
// URL, each worker would be type-checked anew.
const { lock, task } = JSON.parse((globalThis as unknown as { name: string }).name);
serve(lock, () => import(task));
