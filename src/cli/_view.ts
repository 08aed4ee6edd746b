import type { SchedulerEvent } from "../scheduler/events.ts";
import type { ScheduledTask } from "../scheduler/scheduled_task.ts";
import type { DescribeValue } from "./_describe.ts";

/** How a command shows what happens. */
export interface View extends Disposable {
  /** Something happened. */
  event(event: SchedulerEvent): void;
  /** A sentence for the person at the keyboard. */
  say(text: string): void;
}

/** What a view shows, and how. */
export interface ViewOptions {
  readonly title: string;
  /** What the person can do while it runs. */
  readonly hint: string;
  /** The tasks as they are now. */
  readonly tasks: () => readonly ScheduledTask[];
  readonly describeValue?: DescribeValue;
  /** Tell below the table what each run returned, also when it went well. */
  readonly notesOfSuccess?: boolean;
  /** The time at the start of a line. Default: the date and the time in UTC. */
  readonly stamp?: (at: number) => string;
}
