// A process that would live on if nobody ended it.
setTimeout(() => {}, 6_000);
