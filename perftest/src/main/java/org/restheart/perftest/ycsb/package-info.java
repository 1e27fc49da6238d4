/// The Yahoo! Cloud Serving Benchmark: its original core workloads A to F, through bindings of ours.
///
/// Entry type: [YcsbLoad]. Values are text, so that both bindings store and return the same documents.
@NullMarked
package org.restheart.perftest.ycsb;

import org.jspecify.annotations.NullMarked;
