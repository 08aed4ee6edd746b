import type { OptionTable } from "./_usage.ts";

/** The options of `leash sweep`. */
export const OPTIONS = {
  "older-than": {
    type: "string",
    value: "DURATION",
    help: "Remove files of at least this age, as in 7d.",
  },
  "max-size": {
    type: "string",
    value: "SIZE",
    help: "Remove the oldest files until the rest is within this size, as in 1GB.",
  },
  "max-files": {
    type: "string",
    value: "N",
    help: "Remove the oldest files until at most so many are left.",
  },
  "age-from": {
    type: "string",
    value: "WHAT",
    help: "What tells the age: mtime (default; written), atime (read), or name (the end is in it).",
  },
  buckets: {
    type: "boolean",
    help: "Remove whole folders made by bucketPath() whose end has come, and nothing else.",
  },
  include: {
    type: "string",
    multiple: true,
    value: "GLOB",
    help: 'Only files that this fits, as in "*.tmp" or "logs/**".',
  },
  exclude: {
    type: "string",
    multiple: true,
    value: "GLOB",
    help: "Nothing that this fits, and nothing below it.",
  },
  "max-depth": {
    type: "string",
    value: "N",
    help: "Enter so many levels of folders (default: all; 0: only files in DIR itself).",
  },
  "empty-dirs": {
    type: "boolean",
    help: "Remove folders that are empty and a minute old, never DIR.",
  },
  "dry-run": { type: "boolean", help: "Remove nothing; tell what would be removed." },
  every: { type: "string", value: "DURATION", help: "Sweep at once, and then so often." },
  cron: {
    type: "string",
    value: "EXPRESSION",
    help: 'Sweep at once, and then at these times, as in "30 2 * * *".',
  },
  "time-zone": {
    type: "string",
    value: "ZONE",
    help: "What --cron is in, as in Europe/Berlin (default: UTC).",
  },
  timeout: { type: "string", value: "DURATION", help: "One sweep may take so long." },
  grace: {
    type: "string",
    value: "DURATION",
    help: "How long a sweep gets to end when it must stop (default: 10s).",
  },
  sandbox: { type: "boolean", help: "Let the worker touch DIR and nothing else; see below." },
  json: {
    type: "boolean",
    help: "One JSON object on a line for each sweep: its outcome, and as value what it did.",
  },
  plain: { type: "boolean", help: "A readable line for each sweep, also on a terminal." },
} as const satisfies OptionTable;
