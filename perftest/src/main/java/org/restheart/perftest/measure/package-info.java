/// What is measured: latencies, CPU time of processes, the machine's other business, and the record of one measurement.
///
/// Entry types: [Measurement] and [CpuWatch]. Independent of what is measured.
@NullMarked
package org.restheart.perftest.measure;

import org.jspecify.annotations.NullMarked;
