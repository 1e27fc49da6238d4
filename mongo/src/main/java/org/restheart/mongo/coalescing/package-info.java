/// Requests that arrive while MongoDB executes earlier ones of the same shape leave together, as one command. No
/// timers: a request that may run a command leaves at once. A request goes through these classes, in this order:
///
/// 1. [Coalescer] decides, as configured, whether the request may share a command.
/// 2. [PointReads], [SharedFinds], [CoalescedInserts] or [CoalescedWrites] determines its shape and takes the
///    [BatchQueue] of that shape from its [BatchQueues].
/// 3. [BatchQueue] makes it a [PendingRequest]. If [BatchQueue.RunningCommands] allows another command, a
///    [BatchQueue.BatchRunner] starts: on a thread of commands, or on the I/O thread as an inline command.
///    Otherwise the request waits; where too many do, submitting throws a 503 at once, rather than failing the
///    future.
/// 4. [BatchQueue.BatchRunner] takes all that wait, up to the bounds, and runs their [Batching.BatchCommand]. This
///    completes each with its own outcome, or leaves that to another thread; then follows the next batch.
/// 5. [BatchQueues.QueueChecks] lets the queue refuse what has waited too long, and fail the requests of commands whose
///    server is lost, as [Deployment] and [ServerOfCommand] say.
///
/// What holds: a command starts after every request in it has arrived, so no request reads data older than its request;
/// only requests of one shape share a queue; each caller gets its own outcome; everything is bounded.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.coalescing;

import org.jspecify.annotations.NullMarked;
